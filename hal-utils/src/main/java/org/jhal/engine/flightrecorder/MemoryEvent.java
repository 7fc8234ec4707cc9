package org.jhal.engine.flightrecorder;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An allocation or a free of memory. */
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
abstract class MemoryEvent extends Event {
  @Label("Device")
  long device;

  @DataAmount
  @Label("Bytes")
  long bytes;

  @Label("Type")
  @Nullable String type;

  @Description("What the device has allocated then")
  @DataAmount
  @Label("Total")
  long total;

  final void set(long device, long bytes, String type, long total) {
    this.device = device;
    this.bytes = bytes;
    this.type = type;
    this.total = total;
  }
}
