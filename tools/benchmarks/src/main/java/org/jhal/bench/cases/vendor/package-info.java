// SPDX-License-Identifier: Apache-2.0
/**
 * Cases of small work beside a vendor's API: the same dispatches, allocations, graphs and library
 * calls in C or through JCuda.
 *
 * <p>A case belongs here if its aim is relative to the cost of a call of a vendor's API. Throughput
 * is in {@code bulk}, except for transfers that only CUDA can run; work of several devices is in
 * {@code peer}.
 */
@NullMarked
package org.jhal.bench.cases.vendor;

import org.jspecify.annotations.NullMarked;
