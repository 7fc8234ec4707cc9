package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.Operation")
@Label("Operation")
@Description(
    "An operation as the host sees it: from when it was given to the device until its outcome is known")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class OperationEvent extends Event implements Span {
  private static final OperationEvent OFF = new OperationEvent();

  @Label("Queue")
  long queue;

  @Description("Its number in its queue, from 1")
  @Label("Operation")
  long operation;

  @Description("The status; empty for success")
  @Label("Failure")
  @Nullable String failure;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }

  @Override
  public void end(@Nullable String status) {
    failure = status;
    end();
    commit();
  }
}
