// SPDX-License-Identifier: Apache-2.0
/** Variants of bundles that are compiled before they are needed. */
@NullMarked
package org.jhal.kernels.compile;

import org.jspecify.annotations.NullMarked;
