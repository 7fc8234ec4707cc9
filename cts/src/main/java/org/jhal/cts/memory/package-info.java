// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of buffers: allocation, mapping, import, and their lives in the order of timelines (rules
 * M1, M5 and M7).
 */
@NullMarked
package org.jhal.cts.memory;

import org.jspecify.annotations.NullMarked;
