// SPDX-License-Identifier: Apache-2.0
/**
 * How measurements are taken: cases, their series and subjects, rounds of samples, and the results.
 * Knows no particular case.
 */
@NullMarked
package org.jhal.bench.measure;

import org.jspecify.annotations.NullMarked;
