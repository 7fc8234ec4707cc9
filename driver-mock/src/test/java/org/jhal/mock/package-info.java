// SPDX-License-Identifier: Apache-2.0
/**
 * Deliberately wrong backends, in which the conformance suite must find the defect.
 *
 * <p>Each is the mock driver with one thing between it and the suite: a stream, a queue, a
 * semaphore or a device that forwards every call and gets one of them wrong.
 */
@NullMarked
package org.jhal.mock;

import org.jspecify.annotations.NullMarked;
