// SPDX-License-Identifier: Apache-2.0
/**
 * Recordings and single commands as native graphs: their plan, their nodes with the addresses of a
 * submission, the instances for each stream, and the cache that limits their memory.
 *
 * <p>Code that makes, changes, launches or ends a graph belongs here. It sees a stream only as
 * {@link org.jhal.gpu.graph.GraphStream}.
 */
@NullMarked
package org.jhal.gpu.graph;

import org.jspecify.annotations.NullMarked;
