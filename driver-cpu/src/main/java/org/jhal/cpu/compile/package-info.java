// SPDX-License-Identifier: Apache-2.0
/** Runs the host's compiler, and keeps what it makes: libraries of kernels for an architecture. */
@NullMarked
package org.jhal.cpu.compile;

import org.jspecify.annotations.NullMarked;
