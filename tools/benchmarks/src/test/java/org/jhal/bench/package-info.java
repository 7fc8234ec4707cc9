// SPDX-License-Identifier: Apache-2.0
/** Tests of the benchmarks. */
@NullMarked
package org.jhal.bench;

import org.jspecify.annotations.NullMarked;
