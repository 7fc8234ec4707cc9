/**
 * A workload of every kind of work, for tests that make native calls fail one after the other:
 * whatever fails, each step ends as the contract says, and nothing is left behind.
 */
@NullMarked
package org.jhal.cts.faults;

import org.jspecify.annotations.NullMarked;
