// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import org.jhal.driver.support.Lazy;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A device as a rank of groups. The collectives of all its groups run on one stream.
 *
 * <p>Thread-safe.
 */
public final class GroupDevice {
  private final GpuCore core;
  private final @Nullable GraphRuntime graphs;
  private final Lazy<Long> stream = new Lazy<>();
  private volatile @Nullable CommunicatorCache cliques; // of its first group
  private volatile boolean isClosing;

  /**
   * For an open device.
   *
   * @param graphs null if the device uses no graphs
   */
  public GroupDevice(GpuCore core, @Nullable GraphRuntime graphs) {
    this.core = core;
    this.graphs = graphs;
  }

  GpuRuntime runtime() {
    return core.runtime();
  }

  @Nullable GraphRuntime graphs() {
    return graphs;
  }

  String name() {
    return core.name();
  }

  int place() {
    return core.place();
  }

  /** The stream of all groups' collectives. The device is bound. */
  long stream() {
    return stream.get(core.runtime()::openStream);
  }

  /** The stream if a group has used it, else null. */
  public @Nullable Long streamIfMade() {
    return stream.ifMade();
  }

  /** Makes the device a rank of a group whose communicators {@code cache} may keep. */
  void join(CommunicatorCache cache) {
    cliques = cache;
  }

  /** Begins the close: from now on its communicators are not kept. */
  public void beginClose() {
    isClosing = true;
  }

  boolean isClosing() {
    return isClosing;
  }

  /** Ends the communicators that are kept for it. Blocks. */
  public void endCommunicators() {
    CommunicatorCache used = cliques;
    if (used != null) {
      used.end(this);
    }
  }
}
