package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.HostCompletion")
@Label("Host completion")
@Description(
    "What the host does for an operation when the device is done: a host call, or the host's part of a transfer")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class HostCompletionEvent extends Event implements Span {
  private static final HostCompletionEvent OFF = new HostCompletionEvent();

  @Label("Queue")
  long queue;

  @Description("Its number in its queue, from 1")
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
