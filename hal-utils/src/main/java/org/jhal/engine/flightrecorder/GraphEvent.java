package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.Graph")
@Label("Graph")
@Description("A native graph was made of a recording, or a recording was issued without one")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class GraphEvent extends Event implements Span {
  private static final GraphEvent OFF = new GraphEvent();

  @Label("Commands")
  int commands;

  @Description("Why the commands are issued one by one instead; empty if the graph was made")
  @Label("Refusal")
  @Nullable String refusal;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }

  @Override
  public void end(@Nullable String reason) {
    refusal = reason;
    end();
    commit();
  }
}
