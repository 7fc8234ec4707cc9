// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of large amounts of work: long chains, random graphs and many threads (rules K1 and K2, and
 * the rules that these build on).
 */
@NullMarked
package org.jhal.cts.stress;

import org.jspecify.annotations.NullMarked;
