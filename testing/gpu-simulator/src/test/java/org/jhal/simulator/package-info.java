// SPDX-License-Identifier: Apache-2.0
/**
 * The simulator by itself, with the smallest faces.
 *
 * <p>The packages below this one have the tests that are the same for all drivers of GPUs. Their
 * classes name no vendor: the modules of the drivers run them, and each provides a {@link
 * org.jhal.simulator.fixture.SimulatedGpu}.
 */
@NullMarked
package org.jhal.simulator;

import org.jspecify.annotations.NullMarked;
