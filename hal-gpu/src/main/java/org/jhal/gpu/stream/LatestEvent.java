// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Objects;
import org.jhal.gpu.runtime.EventPair;
import org.jhal.gpu.runtime.GpuEvent;
import org.jspecify.annotations.Nullable;

/**
 * The latest recording of a stream. An event that is to be recorded while nothing was put into the
 * stream behind it shares it, which takes no native call. So an operation that makes none either,
 * such as a barrier, costs the runtime nothing.
 *
 * <p>Each event is created with a pair of native events, and always has one. A pair is recorded
 * again only for the event that alone has it, which by then is not in use. An event that shares its
 * pair leaves it to the others, and takes a free one: as there are as many pairs as events, one is
 * free for each that is shared.
 *
 * <p>For the thread that issues, except for {@link #end}.
 */
final class LatestEvent {
  private @Nullable EventPair latest; // null if nothing is recorded yet
  private boolean isBehind; // something was put into the stream behind it

  @GuardedBy("this")
  private @Nullable EventPair free;

  /** Something is about to be put into the stream. */
  void putBehind() {
    isBehind = true;
  }

  /** A pair was recorded behind everything in the stream. */
  void recorded(EventPair pair) {
    latest = pair;
    isBehind = false;
  }

  /** Whether a recording covers everything in the stream. */
  boolean coversAll() {
    return latest != null && !isBehind;
  }

  /** Gives an event the latest recording. Only if that {@link #coversAll}. */
  void share(GpuEvent event) {
    EventPair shared = Objects.requireNonNull(latest);
    if (event.pair() != shared) {
      exchange(event, shared);
    }
  }

  /** Makes an event ready to be recorded: its pair is then its own. */
  EventPair own(GpuEvent event) {
    EventPair pair = event.pair();
    return pair.users == 1 ? pair : exchange(event, null); // unlocked: see EventPair.users
  }

  /** Gives an event another pair, or one that was free. */
  private synchronized EventPair exchange(GpuEvent event, @Nullable EventPair shared) {
    EventPair old = event.pair();
    EventPair pair = shared != null ? shared : takeFree();
    pair.users++;
    event.setPair(pair);
    leave(old);
    return pair;
  }

  @GuardedBy("this")
  private EventPair takeFree() {
    EventPair taken = Objects.requireNonNull(free, "a pair for each event");
    free = taken.nextFree;
    taken.nextFree = null;
    return taken;
  }

  @GuardedBy("this")
  private void leave(EventPair pair) {
    if (--pair.users == 0) {
      pair.nextFree = free;
      free = pair;
    }
  }

  /**
   * Ends an event that nothing uses, when nothing is recorded any more. For any thread, and for
   * several at a time.
   *
   * @return a pair that no event has any more, to be destroyed
   */
  synchronized EventPair end(GpuEvent event) {
    leave(event.pair());
    return takeFree();
  }
}
