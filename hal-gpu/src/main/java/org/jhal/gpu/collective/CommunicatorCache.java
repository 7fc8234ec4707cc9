// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Status;
import org.jhal.driver.support.EngineThread;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Communicators that no group uses. Making them takes a second, and freeing them waits until their
 * devices are idle. So a sound group leaves them here for the next group of the same devices; they
 * are freed when one of the devices closes.
 *
 * <p>Thread-safe.
 */
final class CommunicatorCache {
  @GuardedBy("this")
  private final List<Clique> idle = new ArrayList<>();

  /**
   * Takes the sound communicators of these devices, by rank, or returns null.
   *
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if no thread can be started to end others
   */
  @Nullable Clique take(List<GroupDevice> devices) {
    Clique taken;
    synchronized (this) {
      taken = find(devices);
      idle.remove(taken);
    }
    if (taken == null || taken.isSound()) {
      return taken;
    }
    try {
      new EngineThread("jhal-group-free", taken::end).start(); // which may block
    } catch (OutOfMemoryError e) { // no thread can be started; the next group or close tries again
      synchronized (this) {
        idle.add(taken);
      }
      throw HostFailures.of(Status.RESOURCE_EXHAUSTED, "communicators cannot be ended", e);
    }
    return null;
  }

  @GuardedBy("this")
  private @Nullable Clique find(List<GroupDevice> devices) {
    return idle.stream().filter(one -> one.devices().equals(devices)).findFirst().orElse(null);
  }

  /** Keeps unused communicators, or ends them. May block. */
  void giveBack(Clique clique) {
    if (clique.isSound()) {
      synchronized (this) {
        if (find(clique.devices()) == null && !clique.isClosing()) { // else it would never end
          idle.add(clique);
          return;
        }
      }
    }
    clique.end();
  }

  /** Ends all with this closing device, for which none are kept from now on. Blocks. */
  void end(GroupDevice closing) {
    List<Clique> ended;
    synchronized (this) {
      ended = idle.stream().filter(clique -> clique.devices().contains(closing)).toList();
      idle.removeAll(ended);
    }
    ended.forEach(Clique::end);
  }
}
