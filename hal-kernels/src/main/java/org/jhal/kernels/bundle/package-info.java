// SPDX-License-Identifier: Apache-2.0
/**
 * Reads bundles of kernels (docs/bundles.md): their manifest, the layout of arguments, and kernels
 * written in Java.
 */
@NullMarked
package org.jhal.kernels.bundle;

import org.jspecify.annotations.NullMarked;
