package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.ExecutableLoad")
@Label("Executable load")
@Description("A bundle was loaded")
@Category("JHAL")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class ExecutableLoadEvent extends Event implements Span {
  private static final ExecutableLoadEvent OFF = new ExecutableLoadEvent();

  @Label("Device")
  long device;

  @Label("Bundle")
  @Nullable String bundle;

  @Description("That of the variant that was loaded; empty if there is none")
  @Label("Format")
  @Nullable String format;

  /** Whether this is recorded now. Allocates nothing. */
  static boolean isOn() {
    return OFF.isEnabled();
  }

  @Override
  public void end(@Nullable String loaded) {
    format = loaded;
    end();
    commit();
  }
}
