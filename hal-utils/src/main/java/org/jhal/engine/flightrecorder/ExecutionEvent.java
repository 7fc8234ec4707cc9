package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

@Name("org.jhal.Execution")
@Label("Execution")
@Description("An operation on the device, by the device's clock")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class ExecutionEvent extends Event {
  private static final ExecutionEvent OFF = new ExecutionEvent();

  @Label("Queue")
  long queue;

  @Description("Its number in its queue, from 1")
  @Label("Operation")
  long operation;

  @Description("How long before this event it began")
  @Timespan(Timespan.NANOSECONDS)
  @Label("Began")
  long beganAgo;

  @Timespan(Timespan.NANOSECONDS)
  @Label("Took")
  long took;

  @Description("By how much both times may be wrong")
  @Timespan(Timespan.NANOSECONDS)
  @Label("Error")
  long error;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
