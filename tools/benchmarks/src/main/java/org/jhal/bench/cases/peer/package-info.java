// SPDX-License-Identifier: Apache-2.0
/**
 * Cases of several devices: copies and dependencies between them, collective operations, and work
 * that is split.
 *
 * <p>A peer is another device. What JHAL is compared with is a baseline, also if that is the work
 * of one device alone.
 */
@NullMarked
package org.jhal.bench.cases.peer;

import org.jspecify.annotations.NullMarked;
