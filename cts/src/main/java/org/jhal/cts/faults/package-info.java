// SPDX-License-Identifier: Apache-2.0
/**
 * A workload with every kind of work, for tests that make native calls fail one at a time. Whatever
 * fails, each step must end as the contract requires, and nothing may be left behind.
 */
@NullMarked
package org.jhal.cts.faults;

import org.jspecify.annotations.NullMarked;
