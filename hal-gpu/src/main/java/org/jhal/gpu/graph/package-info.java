/**
 * Recordings as native graphs: their plan, their nodes with the addresses of a submission, the
 * instances for each stream, and the cache that limits how much memory these take up.
 *
 * <p>In it comes what makes, changes, launches or ends a graph. It sees a stream only as {@link
 * org.jhal.gpu.graph.GraphStream}, and nothing of how commands are issued one by one.
 */
@NullMarked
package org.jhal.gpu.graph;

import org.jspecify.annotations.NullMarked;
