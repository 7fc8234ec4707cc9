// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of fills, updates, copies, uploads, readbacks and files, by queues and between devices
 * (rules M2, M9, Q2, S9 and S9b).
 */
@NullMarked
package org.jhal.cts.transfer;

import org.jspecify.annotations.NullMarked;
