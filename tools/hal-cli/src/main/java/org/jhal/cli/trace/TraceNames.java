// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/**
 * The names of devices, queues, kernels, timelines and threads.
 *
 * <p>Remembers a limited number of them. Used by one thread.
 */
final class TraceNames {
  /** For threads without a track of their own. */
  static final String OTHER_THREADS = "other threads";

  /** The same for virtual threads, which are many and live shortly. */
  static final String VIRTUAL_THREADS = "virtual threads";

  /** How many threads have tracks of their own. */
  private static final int MOST_THREADS = 200;

  /** The numbers of each copy of JHAL in a process begin at a multiple of this. */
  private static final long COPY = 1L << 40;

  private record Name(String name, long owner) {}

  private final Map<Long, Name> names;
  private final Map<Long, String> threads = new HashMap<>(); // by their number
  private final Map<String, Long> firsts = new HashMap<>(); // the first thread with this name

  /** Remembers at most {@code most} names for the numbers in events. */
  TraceNames(int most) {
    names =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Name> leastRecentlyUsed) {
            return size() > most;
          }
        };
  }

  void add(long number, String name, long owner) {
    names.put(number, new Name(name, owner));
  }

  boolean has(long number) {
    return names.containsKey(number);
  }

  private String of(long number, String otherwise) {
    Name name = names.get(number);
    return name == null ? otherwise + " " + number % COPY : name.name();
  }

  String kernel(long number) {
    return of(number, "kernel");
  }

  String queue(long number) {
    return of(number, "queue");
  }

  static String timeline(long number) {
    return "semaphore#" + number % COPY;
  }

  /** The group of a device. Those of copies of JHAL may have the same names. */
  String group(long device) {
    return of(device, "device") + copy(device);
  }

  String groupOfQueue(long number) {
    Name name = names.get(number);
    return name == null ? "device" + copy(number) : group(name.owner());
  }

  private static String copy(long number) {
    return number < COPY ? "" : " (copy " + (number / COPY + 1) + " of JHAL)";
  }

  /** The name of the track of a thread. That of two threads is unique, unless they share one. */
  String thread(RecordedEvent event) {
    RecordedThread thread = event.getThread();
    if (thread == null) {
      return OTHER_THREADS;
    }
    if (thread.hasField("virtual") && thread.getBoolean("virtual")) {
      return VIRTUAL_THREADS;
    }
    long id = thread.getJavaThreadId();
    String known = threads.get(id);
    if (known != null) {
      return known;
    }
    if (threads.size() >= MOST_THREADS) {
      return OTHER_THREADS;
    }
    String made = unique(thread.getJavaName(), id);
    threads.put(id, made);
    return made;
  }

  /** Whether a track may have slices of several threads. */
  static boolean isShared(String thread) {
    return thread.equals(OTHER_THREADS) || thread.equals(VIRTUAL_THREADS);
  }

  private String unique(@Nullable String name, long id) {
    if (name == null || name.isEmpty()) {
      return "thread " + id;
    }
    Long first = firsts.putIfAbsent(name, id);
    return first == null && !isShared(name) ? name : name + " (thread " + id + ")";
  }
}
