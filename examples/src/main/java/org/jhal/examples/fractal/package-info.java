// SPDX-License-Identifier: Apache-2.0
/** A program that splits its work over all devices of the machine. */
@NullMarked
package org.jhal.examples.fractal;

import org.jspecify.annotations.NullMarked;
