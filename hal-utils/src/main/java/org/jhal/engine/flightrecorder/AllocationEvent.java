package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("org.jhal.Allocation")
@Label("Allocation")
@Description("Memory of a device was allocated")
@Category("JHAL")
@StackTrace(false)
final class AllocationEvent extends MemoryEvent {
  private static final AllocationEvent OFF = new AllocationEvent();

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
