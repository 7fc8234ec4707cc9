// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The command buffers that a stream keeps for recordings which are submitted again and again: one
 * for each memory in the slots, up to a number. Another one takes the place of that which was used
 * longest ago, once it was wanted twice in a row.
 *
 * <p>Used by the thread that issues.
 */
final class KeptRecordings {
  /** How many command buffers are kept of one recording, for different memory in its slots. */
  private static final int MOST = 4;

  /** A command buffer, and the last value of the timeline whose submission uses it. */
  private static final class Kept {
    private final List<KeptCommands.Place> places;
    private final Recording recording;
    private long value;

    Kept(List<KeptCommands.Place> places, Recording recording) {
      this.places = places;
      this.recording = recording;
    }
  }

  /** What is kept of one recording. */
  private static final class Entry {
    private final Deque<Kept> kept = new ArrayDeque<>(); // the one used last comes first
    private @Nullable List<KeptCommands.Place> before; // of the last submission without one
  }

  private final CommandStream stream;
  private final Map<KeptCommands, Entry> entries = new IdentityHashMap<>();
  private final List<Kept> free = new ArrayList<>();

  KeptRecordings(CommandStream stream) {
    this.stream = stream;
  }

  /**
   * The command buffer for a submission; null if its commands are to be recorded once more.
   *
   * @param places where its slots are
   * @param record records the commands into a new one
   */
  @Nullable Recording find(
      KeptCommands commands, List<KeptCommands.Place> places, Consumer<Recording> record) {
    if (!entries.containsKey(commands)) {
      releaseClosed();
    }
    Entry entry = entries.computeIfAbsent(commands, each -> new Entry());
    Kept found = take(entry, places);
    if (found == null) {
      if (entry.kept.size() == MOST && !places.equals(entry.before)) {
        entry.before = places;
        return null;
      }
      found = new Kept(places, vacant(entry));
      boolean isDone = false;
      try {
        found.recording.beginKept();
        record.accept(found.recording);
        found.recording.end();
        isDone = true;
      } finally {
        if (!isDone) {
          free.add(found); // which begins anew
        }
      }
      entry.before = null;
    }
    entry.kept.addFirst(found);
    found.value = stream.nextValue();
    return found.recording;
  }

  private static @Nullable Kept take(Entry entry, List<KeptCommands.Place> places) {
    for (Iterator<Kept> each = entry.kept.iterator(); each.hasNext(); ) {
      Kept kept = each.next();
      if (kept.places.equals(places)) {
        each.remove();
        return kept;
      }
    }
    return null;
  }

  /** A command buffer that no submission uses any more, or a new one. */
  private Recording vacant(Entry entry) {
    if (entry.kept.size() >= MOST) {
      free.add(entry.kept.removeLast());
    }
    for (Iterator<Kept> each = free.iterator(); each.hasNext(); ) {
      Kept kept = each.next();
      if (stream.timeline().isOver(kept.value)) {
        each.remove();
        return kept.recording;
      }
    }
    return stream.makeKept();
  }

  private void releaseClosed() {
    for (Iterator<Map.Entry<KeptCommands, Entry>> each = entries.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<KeptCommands, Entry> entry = each.next();
      if (entry.getKey().isClosed()) {
        free.addAll(entry.getValue().kept);
        each.remove();
      }
    }
  }
}
