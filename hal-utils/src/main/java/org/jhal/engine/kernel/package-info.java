// SPDX-License-Identifier: Apache-2.0
/**
 * Executables and their kernels: how a bundle's variant is chosen and loaded, and how constant
 * arguments are packed.
 */
@NullMarked
package org.jhal.engine.kernel;

import org.jspecify.annotations.NullMarked;
