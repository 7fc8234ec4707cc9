// SPDX-License-Identifier: Apache-2.0
/** Kernels and programs with one mistake each, and their sound twins. */
@NullMarked
package org.jhal.faults;

import org.jspecify.annotations.NullMarked;
