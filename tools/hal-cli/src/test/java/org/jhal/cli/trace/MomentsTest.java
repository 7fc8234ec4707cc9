// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which waits have an arrow, and from which signal. */
class MomentsTest {
  private static final TraceSink.Track TRACK = new TraceSink.Track(1, "device", "queue");

  private final Arrows sink = new Arrows();
  private long now;
  private long operations;

  /** Collects the names of the arrows. */
  private static final class Arrows implements TraceSink {
    final List<String> names = new ArrayList<>();

    @Override
    public void track(Track track) {}

    @Override
    public void slice(
        Track track, String name, String kind, long begin, long end, Map<String, Object> details) {}

    @Override
    public void instant(Track track, String name, long time, Map<String, Object> details) {}

    @Override
    public void arrow(Origin from, Point signal, Origin to, Point wait, String name) {
      names.add(name);
    }

    @Override
    public void counter(Track track, String name, long time, long value) {}

    @Override
    public void end() {}
  }

  /** Each operation after the one before it. */
  private TraceSink.Point later() {
    return new TraceSink.Point(TRACK, ++now);
  }

  private TraceSink.Origin operation() {
    return new TraceSink.Origin(1, ++operations);
  }

  private void signal(Moments moments, long timeline, long value) {
    moments.signal(timeline, value, operation(), later());
  }

  private void wait(Moments moments, long timeline, long value) throws IOException {
    moments.waited(timeline, value, operation(), later());
  }

  private void assertArrows(Moments moments, long missing, String... expected) throws IOException {
    moments.end();
    assertEquals(List.of(expected), sink.names);
    assertEquals(missing, moments.missing(), "waits without an arrow");
  }

  @Test
  void drawsTheArrowFromTheNextLargerSignal() throws IOException {
    Moments moments = new Moments(sink, 2);
    signal(moments, 1, 7);
    signal(moments, 1, 9);
    wait(moments, 1, 3);
    wait(moments, 1, 8);
    assertArrows(moments, 0, "semaphore#1 = 7", "semaphore#1 = 9");
  }

  @Test
  void drawsNoArrowIfTheSignalMayBeForgotten() throws IOException {
    Moments moments = new Moments(sink, 2);
    for (long value : new long[] {3, 5, 7, 9}) {
      signal(moments, 1, value);
    }
    wait(moments, 1, 2); // for 3, or 5
    wait(moments, 1, 5);
    wait(moments, 1, 6); // for 7
    wait(moments, 1, 9);
    assertArrows(moments, 2, "semaphore#1 = 9", "semaphore#1 = 7");
  }

  @Test
  void findsAnExactSignalBelowAForgottenOne() throws IOException {
    Moments moments = new Moments(sink, 2);
    for (long value : new long[] {9, 3, 5}) { // threads record in any order
      signal(moments, 1, value);
    }
    wait(moments, 1, 3);
    wait(moments, 1, 4); // for 5 or 9, which came first
    assertArrows(moments, 1, "semaphore#1 = 3");
  }

  /** A forgotten timeline is signalled again. */
  @Test
  void drawsNoArrowForASignalOfAForgottenTimeline() throws IOException {
    Moments moments = new Moments(sink, 2);
    signal(moments, 1, 5);
    signal(moments, 2, 5);
    signal(moments, 2, 6);
    signal(moments, 1, 9); // 5 of both timelines is forgotten
    signal(moments, 1, 12);
    wait(moments, 1, 4); // for 5
    wait(moments, 1, 9);
    wait(moments, 1, 11); // for 12
    assertArrows(moments, 1, "semaphore#1 = 9", "semaphore#1 = 12");
  }

  @Test
  void drawsArrowsForATimelineNewerThanTheForgottenOnes() throws IOException {
    Moments moments = new Moments(sink, 1);
    signal(moments, 1, 5);
    signal(moments, 2, 5);
    signal(moments, 3, 5);
    wait(moments, 3, 4);
    assertArrows(moments, 0, "semaphore#3 = 5");
  }
}
