// SPDX-License-Identifier: Apache-2.0
/**
 * The native runtime, which runs kernels on its own threads, and the sources of this driver in C.
 */
@NullMarked
package org.jhal.cpu.runtime;

import org.jspecify.annotations.NullMarked;
