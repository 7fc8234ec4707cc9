package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.DeviceLost")
@Label("Device lost")
@Description("A device was lost; everything on it fails")
@Category("JHAL")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class DeviceLostEvent extends Event {
  private static final DeviceLostEvent OFF = new DeviceLostEvent();

  @Label("Device")
  long device;

  @Label("Cause")
  @Nullable String cause;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
