// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of queues: what a call captures, in which order operations are issued, and how failures
 * spread (rules Q1 to Q10).
 */
@NullMarked
package org.jhal.cts.queue;

import org.jspecify.annotations.NullMarked;
