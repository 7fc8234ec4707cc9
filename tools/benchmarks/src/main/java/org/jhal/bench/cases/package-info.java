// SPDX-License-Identifier: Apache-2.0
/**
 * Shared by the cases: pieces of work on a device, and the program in C.
 *
 * <p>The cases themselves are in {@code host}, {@code vendor}, {@code bulk}, {@code peer} and
 * {@code compute}, by what they measure. They do not use each other; code that two of them need
 * belongs here.
 */
@NullMarked
package org.jhal.bench.cases;

import org.jspecify.annotations.NullMarked;
