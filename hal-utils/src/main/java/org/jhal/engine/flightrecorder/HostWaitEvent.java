package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.HostWait")
@Label("Host wait")
@Description("A host thread waited for a timepoint")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class HostWaitEvent extends Event implements Span {
  private static final HostWaitEvent OFF = new HostWaitEvent();

  @Label("Timeline")
  long timeline;

  @Label("Value")
  long value;

  @Description("reached, late, interrupted, or the status of a failure")
  @Label("Outcome")
  @Nullable String outcome;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }

  @Override
  public void end(@Nullable String result) {
    outcome = result;
    end();
    commit();
  }
}
