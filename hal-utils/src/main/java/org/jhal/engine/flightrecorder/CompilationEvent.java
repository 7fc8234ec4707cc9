package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("org.jhal.Compilation")
@Label("Compilation")
@Description(
    "A kernel's source was compiled, or its code was found in the folder of compiled kernels")
@Category("JHAL")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class CompilationEvent extends Event implements Span {
  private static final CompilationEvent OFF = new CompilationEvent();

  @Label("Source")
  @Nullable String source;

  @Description("hit, compiled or failed")
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
