package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.Name")
@Label("Name")
@Description("The name of what other events give as a number; once for each chunk of a recording")
@Category("JHAL")
@StackTrace(false)
@Period("beginChunk")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class NameEvent extends Event {
  private static final NameEvent OFF = new NameEvent();

  @Description("device, queue or kernel")
  @Label("Kind")
  @Nullable String kind;

  @Label("Number")
  long number;

  @Label("Name")
  @Nullable String name;

  @Description("The device of a queue or a kernel; 0 otherwise")
  @Label("Owner")
  long owner;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
