package org.jhal.gpu.collective;

import java.util.ArrayList;
import java.util.List;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * Communicators that no group uses. Making some takes a second, and freeing them waits until their
 * devices are idle; so a group that was sound leaves them here for the next one of the same
 * devices, and they are freed when one of the devices closes.
 *
 * <p>Thread-safe.
 */
final class CommunicatorCache {
  private final List<Clique> idle = new ArrayList<>(); // guarded by this

  /** Takes those of these devices, by rank, or returns null if there are none that are sound. */
  @Nullable Clique take(List<GroupDevice> devices) {
    Clique taken = null;
    synchronized (this) {
      for (Clique clique : idle) {
        if (clique.devices().equals(devices)) {
          taken = (Clique) clique;
        }
      }
      idle.remove(taken);
    }
    if (taken == null || taken.isSound()) {
      return taken;
    }
    new EngineThread("jhal-group-free", taken::end).start(); // which may block
    return null;
  }

  /** Keeps what nothing uses any more, or ends it. May block. */
  void giveBack(Clique clique) {
    if (clique.isSound()) {
      synchronized (this) {
        boolean isFirst = idle.stream().noneMatch(one -> one.devices().equals(clique.devices()));
        if (isFirst && !clique.isClosing()) { // or nobody would end it
          idle.add(clique);
          return;
        }
      }
    }
    clique.end();
  }

  /** Ends all that have a device, which is closing: none will be kept from now on. Blocks. */
  void end(GroupDevice closing) {
    List<Clique> ended = new ArrayList<>();
    synchronized (this) {
      for (Clique clique : idle) {
        if (clique.devices().contains(closing)) {
          ended.add(clique);
        }
      }
      idle.removeAll(ended);
    }
    ended.forEach(Clique::end);
  }
}
