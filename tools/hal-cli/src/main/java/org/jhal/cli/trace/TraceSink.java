package org.jhal.cli.trace;

import java.io.IOException;
import java.util.Map;

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

  void track(Track track) throws IOException;

  /** Something that took time. The slices of a track either nest or do not overlap. */
  void slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details)
      throws IOException;

  /** Something that took no time. */
  void instant(Track track, String name, long time, Map<String, Object> details) throws IOException;

  /** The wait of one slice for the signal of another, both at points inside the slices. */
  void arrow(Point signal, Point wait, String name) throws IOException;

  /** A number that changes, from {@code time} on. */
  void counter(Track track, String name, long time, long value) throws IOException;

  /** Ends the trace. */
  void end() throws IOException;
}
