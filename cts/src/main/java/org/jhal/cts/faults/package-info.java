/**
 * Work of every kind for tests in which native calls fail one after the other: whatever fails, each
 * step ends as the contract says, and nothing is left.
 */
@NullMarked
package org.jhal.cts.faults;

import org.jspecify.annotations.NullMarked;
