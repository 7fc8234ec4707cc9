// SPDX-License-Identifier: Apache-2.0
/**
 * Tests in which each native call of a workload fails once, and tests of objects that are released
 * late or not at all.
 *
 * <p>A test in which one call of one operation fails is with the other tests of that operation.
 */
@NullMarked
package org.jhal.simulator.faults;

import org.jspecify.annotations.NullMarked;
