package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.Transfer")
@Label("Transfer")
@Description("How an upload or a readback moves its bytes")
@Category("JHAL")
@StackTrace(false)
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class TransferEvent extends Event {
  private static final TransferEvent OFF = new TransferEvent();

  @Label("Queue")
  long queue;

  @Description("Its number in its queue, from 1")
  @Label("Operation")
  long operation;

  @DataAmount
  @Label("Bytes")
  long bytes;

  @Label("Direction")
  @Nullable String direction;

  @Label("Path")
  @Nullable String path;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }
}
