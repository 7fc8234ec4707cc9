// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of drivers: how they are found, what they list, and that every method rejects null (rules
 * D1 to D5, M5).
 */
@NullMarked
package org.jhal.cts.driver;

import org.jspecify.annotations.NullMarked;
