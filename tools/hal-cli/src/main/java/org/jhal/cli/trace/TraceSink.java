// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes a trace piece by piece, in no particular order. Times are nanoseconds since an origin that
 * is the same for all of them.
 *
 * <p>Used by one thread.
 */
interface TraceSink {
  /**
   * A line of the picture. It is announced before anything on it.
   *
   * @param number unique, from 1
   * @param group the device that it belongs to, or the host
   */
  record Track(int number, String group, String name) {}

  /**
   * A point on a track.
   *
   * @param earliest the earliest possible time within the slice, if the exact one is not known
   * @param latest the latest possible time within the slice
   * @param error by how much these times may be wrong
   */
  record Point(Track track, long time, long earliest, long latest, long error) {
    Point(Track track, long time) {
      this(track, time, time, time, 0);
    }

    /** This point, or one in the same slice that is as near to {@code limit} as possible. */
    Point notBefore(long limit) {
      return at(Math.max(time, Math.min(limit, latest)));
    }

    /** This point, or one in the same slice that is as near to {@code limit} as possible. */
    Point notAfter(long limit) {
      return at(Math.min(time, Math.max(limit, earliest)));
    }

    private Point at(long newTime) {
      return new Point(track, newTime, earliest, latest, error);
    }
  }

  /** A source of signals and waits: an operation by its numbers, or a thread of the host. */
  record Origin(long queue, long operation) {}

  /** The origin of what threads of the host signal or wait for. */
  Origin HOST = new Origin(0, 0);

  /** When something ran. */
  record Span(long begin, long end) {}

  /** How an operation ended. */
  enum Outcome {
    FINISHED,
    FAILED,
    UNFINISHED
  }

  /**
   * An operation as a whole.
   *
   * @param name the kernel, or the kind of operation
   * @param bytes that it transfers, or -1 if it is no transfer
   * @param thread the track of the thread that enqueued it, or null if that is unknown
   * @param enqueued when that was
   * @param onQueue when it ran on its queue, or null if it ran only on the host
   * @param onHost when its part on the host ran, or null if it has none
   * @param isTimed whether {@code onQueue} was measured on the device
   * @param end when it signalled, or would have
   */
  record Operation(
      Origin origin,
      String device,
      String queue,
      String name,
      String kind,
      long bytes,
      @Nullable String thread,
      long enqueued,
      @Nullable Span onQueue,
      @Nullable Span onHost,
      boolean isTimed,
      long end,
      Outcome outcome) {

    /** When its first part began. */
    long begin() {
      return onQueue != null ? onQueue.begin() : onHost != null ? onHost.begin() : end;
    }
  }

  void track(Track track) throws IOException;

  /** What the slices of an operation have in common. It comes after its slices. */
  default void operation(Operation operation) throws IOException {}

  /** Something that took time. The slices of a track either nest or do not overlap. */
  void slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details)
      throws IOException;

  /** Something that took no time. */
  void instant(Track track, String name, long time, Map<String, Object> details) throws IOException;

  /**
   * The wait of one slice for the signal of another, both at points inside the slices. Both
   * operations came before.
   */
  void arrow(Origin from, Point signal, Origin to, Point wait, String name) throws IOException;

  /** A number that changes, from {@code time} on. */
  void counter(Track track, String name, long time, long value) throws IOException;

  /** Ends the trace. */
  void end() throws IOException;
}
