// SPDX-License-Identifier: Apache-2.0
/**
 * A stream as the engine sees it: weights, events, and the commands of a submission, issued one by
 * one, as a graph, or behind the ring for pageable memory.
 *
 * <p>Code for one stream and its issuing thread belongs here. The allocator, the ring and the
 * clock, which streams share, are passed in.
 */
@NullMarked
package org.jhal.gpu.stream;

import org.jspecify.annotations.NullMarked;
