// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of a driver of GPUs, by its subjects: kernels, transfers, graphs, streams, times, two GPUs,
 * and applications.
 *
 * <p>A test belongs here if it is the same for each such driver and is about no group of devices,
 * which {@code group} has. What the packages with tests share is in {@code fixture}.
 */
@NullMarked
package org.jhal.simulator.tests;

import org.jspecify.annotations.NullMarked;
