package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.TimelineEdge")
@Label("Timeline edge")
@Description(
    "A timepoint that an operation waits for or signals, or that a host thread has signalled;"
        + " no wait for a value that the timeline had from the start")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class EdgeEvent extends Event implements Span {
  private static final EdgeEvent OFF = new EdgeEvent();

  @Label("Timeline")
  long timeline;

  @Label("Value")
  long value;

  @Description("Whether it is signalled; otherwise waited for")
  @Label("Signal")
  boolean isSignal;

  @Description("0 for a host thread")
  @Label("Queue")
  long queue;

  @Description("0 for a host thread")
  @Label("Operation")
  long operation;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }

  @Override
  public void end(@Nullable String status) {
    end();
    commit();
  }
}
