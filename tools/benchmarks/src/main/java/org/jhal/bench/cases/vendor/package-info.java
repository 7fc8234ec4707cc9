/**
 * Cases of small work beside a vendor's API: the same dispatches, allocations, graphs and library
 * calls in C or through JCuda.
 *
 * <p>A case belongs here if its aim is what a vendor's API needs for one call. Throughput is in
 * {@code bulk}, except that of the transfers that CUDA alone can run, and work of several devices
 * in {@code peer}.
 */
@NullMarked
package org.jhal.bench.cases.vendor;

import org.jspecify.annotations.NullMarked;
