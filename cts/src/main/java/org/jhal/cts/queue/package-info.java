/**
 * Tests of queues: what is taken when, in which order, and how failures spread (rules Q1 to Q6, Q9,
 * Q10).
 */
@NullMarked
package org.jhal.cts.queue;

import org.jspecify.annotations.NullMarked;
