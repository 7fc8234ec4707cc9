// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of command buffers and binding tables: recording, order and reuse (rules M2 to M5 and K6).
 */
@NullMarked
package org.jhal.cts.command;

import org.jspecify.annotations.NullMarked;
