// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of a device as a whole: loss, failing native calls, closing, timelines that span devices,
 * and the use of other devices' memory (rules Q7, Q7a, Q8, S9, S9a and S9b).
 */
@NullMarked
package org.jhal.cts.device;

import org.jspecify.annotations.NullMarked;
