package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.Submission")
@Label("Submission")
@Description("An operation was enqueued; the thread is the one that did")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class SubmissionEvent extends Event {
  private static final SubmissionEvent OFF = new SubmissionEvent();

  @Label("Queue")
  long queue;

  @Description("Its number in its queue, from 1")
  @Label("Operation")
  long operation;

  @Label("Kind")
  @Nullable String kind;

  @Description("Of a dispatch; 0 otherwise")
  @Label("Kernel")
  long kernel;

  @Label("Commands")
  int commands;

  @Description("For values that timelines did not have from the start")
  @Label("Waits")
  int waits;

  @Label("Signals")
  int signals;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
