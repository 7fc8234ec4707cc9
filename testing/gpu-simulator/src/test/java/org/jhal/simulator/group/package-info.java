// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of groups of devices, and of collectives that a library carries out for them: results,
 * hangs, aborts and losses.
 *
 * <p>Helpers that only they need, such as one that blocks launches, are here as well. Calls that
 * fail in the workload of all other operations are in {@code faults}.
 */
@NullMarked
package org.jhal.simulator.group;

import org.jspecify.annotations.NullMarked;
