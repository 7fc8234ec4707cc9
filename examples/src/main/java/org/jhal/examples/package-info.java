// SPDX-License-Identifier: Apache-2.0
/**
 * The Java kernels of the example bundles, the program that made their inputs, and one that checks
 * results.
 */
@NullMarked
package org.jhal.examples;

import org.jspecify.annotations.NullMarked;
