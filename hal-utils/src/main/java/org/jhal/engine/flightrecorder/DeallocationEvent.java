package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("org.jhal.Deallocation")
@Label("Deallocation")
@Description("Memory of a device was freed, or its dealloca was issued")
@Category("JHAL")
@StackTrace(false)
final class DeallocationEvent extends MemoryEvent {
  private static final DeallocationEvent OFF = new DeallocationEvent();

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
