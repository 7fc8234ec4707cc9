// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

/**
 * The nodes of a {@link GraphInstance}, and the memory that they point to.
 *
 * <p>Used by the owner of the instance.
 */
interface GraphContent {
  /** The number of nodes. */
  int size();

  /** How many bytes of page-locked memory the nodes point to. */
  long pinnedBytes();

  /** Adds the nodes to a native graph. */
  void addTo(long graph);

  /** Frees page-locked memory, after the last launch that uses it. */
  void close();
}
