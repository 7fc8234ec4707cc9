// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * What a {@link MemoryPool} holds, and what it has done so far. All numbers are of one instant.
 *
 * @param budget the most bytes that its buffers may have together
 * @param usedBytes the bytes of the buffers that are allocated
 * @param reservedBytes the bytes of allocas that are about to be issued, which have their part of
 *     the budget already. With {@code usedBytes}, they are at most the budget
 * @param peakBytes the most that {@code usedBytes} has been
 * @param buffers how many buffers are allocated
 * @param allocations how many were allocated so far
 * @param waits how many allocas had to wait for a part of the budget so far
 * @param waiting how many do now
 */
public record PoolStatistics(
    long budget,
    long usedBytes,
    long reservedBytes,
    long peakBytes,
    long buffers,
    long allocations,
    long waits,
    long waiting) {}
