package org.jhal.gpu.collective;

import org.jhal.driver.support.Once;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A device as the groups know it in which it is a rank. It has one stream, on which the collectives
 * of all groups run.
 *
 * <p>Thread-safe.
 */
public final class GroupDevice {
  private final GpuCore core;
  private final Once<Long> stream = new Once<>();
  private volatile @Nullable CommunicatorCache cliques; // of the first group that it is in
  private volatile boolean isClosing;

  public GroupDevice(GpuCore core) {
    this.core = core;
  }

  GpuRuntime runtime() {
    return core.runtime();
  }

  String name() {
    return core.name();
  }

  int place() {
    return core.place();
  }

  /** The stream on which the collectives of all groups run. The device is bound. */
  long stream() {
    return stream.get(core.runtime()::openStream);
  }

  /** The same if there was a group, else null. */
  public @Nullable Long streamIfMade() {
    return stream.ifMade();
  }

  /** The device becomes a rank of a group whose communicators {@code cache} may keep. */
  void join(CommunicatorCache cache) {
    cliques = cache;
  }

  /** The device is being closed: from now on its communicators are not kept. */
  public void beginClose() {
    isClosing = true;
  }

  /** Whether it is being closed, or is closed. */
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
