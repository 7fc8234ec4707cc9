// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.util.Map;

/** Passes each piece of a trace to two sinks, one after the other. */
final class Tee implements TraceSink {
  private final TraceSink first;
  private final TraceSink second;

  Tee(TraceSink first, TraceSink second) {
    this.first = first;
    this.second = second;
  }

  @Override
  public void track(Track track) throws IOException {
    first.track(track);
    second.track(track);
  }

  @Override
  public void operation(Operation operation) throws IOException {
    first.operation(operation);
    second.operation(operation);
  }

  @Override
  public void slice(
      Track track, String name, String kind, long begin, long end, Map<String, Object> details)
      throws IOException {
    first.slice(track, name, kind, begin, end, details);
    second.slice(track, name, kind, begin, end, details);
  }

  @Override
  public void instant(Track track, String name, long time, Map<String, Object> details)
      throws IOException {
    first.instant(track, name, time, details);
    second.instant(track, name, time, details);
  }

  @Override
  public void arrow(Origin from, Point signal, Origin to, Point wait, String name)
      throws IOException {
    first.arrow(from, signal, to, wait, name);
    second.arrow(from, signal, to, wait, name);
  }

  @Override
  public void counter(Track track, String name, long time, long value) throws IOException {
    first.counter(track, name, time, value);
    second.counter(track, name, time, value);
  }

  @Override
  public void end() throws IOException {
    first.end();
    second.end();
  }
}
