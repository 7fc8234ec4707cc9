// SPDX-License-Identifier: Apache-2.0
/** A simulated CUDA driver library and run-time compiler, and their tests. */
@NullMarked
package org.jhal.cuda.sim;

import org.jspecify.annotations.NullMarked;
