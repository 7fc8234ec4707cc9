/**
 * A stream as the engine sees it: weights, events, and the commands of a submission, issued one by
 * one, as a graph, or behind the ring for pageable memory.
 *
 * <p>In it comes what belongs to one stream and is issued by its thread. What several streams share
 * is handed to it: the allocator, the ring, the clock.
 */
@NullMarked
package org.jhal.gpu.stream;

import org.jspecify.annotations.NullMarked;
