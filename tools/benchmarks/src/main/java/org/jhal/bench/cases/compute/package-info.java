// SPDX-License-Identifier: Apache-2.0
/** Kernels that run on the host's processors, beside the same work without JHAL. */
@NullMarked
package org.jhal.bench.cases.compute;

import org.jspecify.annotations.NullMarked;
