// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelAttachment;
import org.jspecify.annotations.Nullable;

/**
 * The graph of one node that a stream keeps for a kernel, for its small copies, or for its small
 * readbacks. To set the node and launch the graph takes about half the time of the plain launch;
 * see docs/results/README.md.
 *
 * <p>That holds only while the shape stays the same: the grid of a kernel, the length of a copy. So
 * a command whose shape differs from the one before is issued plainly, and the graph is made after
 * a few uses in a row with one shape. Whatever is refused is issued plainly, too. If the graph is
 * refused or evicted before it was worthwhile, the number of uses before the next try doubles.
 *
 * <p>Used by the thread that issues to the stream, except for {@link #end} and {@link #isWanted}.
 */
final class OneNodeGraph implements KernelAttachment {
  /** Plain uses in a row with the same shape before the graph is made. */
  private static final long FIRST_USES = 3;

  private static final long MOST_USES = 1 << 20;

  /** So many launches save more time than making the graph takes. */
  private static final long WORTHWHILE = 1000;

  private final GraphCache cache;

  private int x;
  private int y;
  private int z; // the shape of the last use
  private long uses; // in a row with that shape, since the last try
  private long enough; // that many uses before the next try
  private long launches; // of the instance

  /** Written by the issuing thread. */
  private volatile @Nullable GraphInstance<OneNode> instance;

  /** A call has failed, so it is out of use; earlier launches may still be in the stream. */
  private boolean isBroken;

  OneNodeGraph(GraphCache cache) {
    this.cache = cache;
    this.enough = firstUses();
  }

  private long firstUses() {
    return cache.makesAtOnce() ? 1 : FIRST_USES;
  }

  /** Whether the graph has yet to be made. For any thread. */
  boolean isWanted() {
    GraphInstance<OneNode> now = instance;
    return now == null || !now.isUsable();
  }

  /**
   * Launches a command. Returns false if it is to be issued plainly.
   *
   * @param staging where a readback is copied, as an address of the device; else unused
   * @param newX the command's shape, as are the next two
   * @throws HalException if the launch failed, or the device is lost
   */
  boolean launch(
      GraphStream stream,
      Command command,
      Submission submission,
      long staging,
      int newX,
      int newY,
      int newZ) {
    boolean isRepeated = newX == x && newY == y && newZ == z;
    x = newX;
    y = newY;
    z = newZ;
    uses = isRepeated ? uses + 1 : 0;
    if (!isRepeated || !stream.keepsGraphs()) {
      return false;
    }
    GraphInstance<OneNode> current = instance;
    if (current == null) {
      return uses >= enough
          && make(stream, command, submission, staging)
          && launch(instance, command, submission, staging);
    }
    boolean isLeft = current.isReady() && current.isElsewhere(); // one that is being made stays
    if (isBroken || current.isDestroyed() || isLeft) {
      // Destroyed: it was evicted, or could not be made.
      drop(current);
      return false;
    }
    return launch(current, command, submission, staging);
  }

  /** Drops an instance that is out of use, once no launch of it is in the stream. */
  private void drop(GraphInstance<OneNode> ended) {
    if (ended.isIdle()) {
      cache.retire(ended);
      instance = null;
      isBroken = false;
      pause();
    }
  }

  private void pause() {
    uses = 0;
    enough = launches < WORTHWHILE ? Math.min(2 * enough, MOST_USES) : firstUses();
    launches = 0;
  }

  private boolean launch(
      @Nullable GraphInstance<OneNode> current,
      Command command,
      Submission submission,
      long staging) {
    if (current == null || !current.claim()) {
      return false; // it is being made or evicted
    }
    boolean isWhole = false;
    try {
      try {
        current.content().set(current.handle(), command, submission, staging);
      } catch (HalException e) {
        if (e.status() == Status.UNAVAILABLE) {
          throw e;
        }
        cache.refused(e);
        return false;
      }
      current.launch();
      launches++;
      isWhole = true;
      return true;
    } finally {
      isBroken = !isWhole;
      current.unclaim();
    }
  }

  /** Makes the instance, now or in the background. Returns whether it is ready. */
  private boolean make(GraphStream stream, Command command, Submission submission, long staging) {
    if (cache.makesAtOnce() && !submission.mayBlock()) {
      return false;
    }
    try {
      GraphInstance<OneNode> planned = cache.plan(command, stream, submission, staging);
      instance = planned;
      if (cache.makesAtOnce()) {
        return cache.build(planned) == null;
      }
      submission.inBackground(() -> buildLater(planned));
    } catch (OutOfMemoryError e) { // of direct memory, or no thread can be started
      instance = null;
      pause();
    }
    return false;
  }

  private void buildLater(GraphInstance<OneNode> planned) {
    cache.build(planned);
  }

  @Override
  public void end() {
    GraphInstance<OneNode> last = instance;
    if (last != null) {
      cache.retire(last);
    }
  }
}
