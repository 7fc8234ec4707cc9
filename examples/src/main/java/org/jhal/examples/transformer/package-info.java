// SPDX-License-Identifier: Apache-2.0
/** A small transformer with kernels of its own, whose forward pass is one recording. */
@NullMarked
package org.jhal.examples.transformer;

import org.jspecify.annotations.NullMarked;
