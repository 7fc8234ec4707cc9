/**
 * Tests of a device as a whole: loss, failing native calls, closing, and timelines that cross
 * devices (rules Q7, Q8, S9).
 */
@NullMarked
package org.jhal.cts.device;

import org.jspecify.annotations.NullMarked;
