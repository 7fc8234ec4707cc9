// SPDX-License-Identifier: Apache-2.0
/**
 * What drivers that check kernels have in common: the names of the checks, what is said of a
 * finding, and what happens to it.
 */
@NullMarked
package org.jhal.kernels.check;

import org.jspecify.annotations.NullMarked;
