// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of timelines: values, waits, callbacks, failures, closing and explanations (rules S1 to S8,
 * S10 and S11).
 */
@NullMarked
package org.jhal.cts.semaphore;

import org.jspecify.annotations.NullMarked;
