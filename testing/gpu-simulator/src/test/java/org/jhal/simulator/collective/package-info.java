// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the simulated library of collectives itself, through its C functions: its results, and
 * the calls that it refuses, on the face of each driver.
 *
 * <p>No device of JHAL is opened here. Groups of such devices are in {@code group}.
 */
@NullMarked
package org.jhal.simulator.collective;

import org.jspecify.annotations.NullMarked;
