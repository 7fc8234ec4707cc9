// SPDX-License-Identifier: Apache-2.0
/**
 * Sources of kernels for compilers: the files of a bundle that a source includes, and whether what
 * is compiled from it may be kept. Knows no compiler, and runs none.
 */
@NullMarked
package org.jhal.kernels.source;

import org.jspecify.annotations.NullMarked;
