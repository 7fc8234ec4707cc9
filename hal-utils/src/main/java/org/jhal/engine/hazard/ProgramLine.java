// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.lang.ref.SoftReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The line of the program from which JHAL is called. Which one it is is found out for a report
 * only: until then the stack of the call is kept as the JVM has it, which takes a fraction of the
 * time that a {@link StackWalker} needs for one frame. It is forgotten if memory runs short.
 *
 * <p>Thread-safe.
 */
public final class ProgramLine {
  /** A stack of calls. */
  private static final class Call extends Throwable {
    private static final long serialVersionUID = 1;

    Call() {
      super(null, null, false, true);
    }
  }

  /** What stands between the program and the engine, besides the package {@value #API}. */
  private static final List<String> BETWEEN =
      List.of(
          "org.jhal.engine.",
          "org.jhal.collectives.",
          "org.jhal.recording.compare.", // of which a twin and a replay consist
          "org.jhal.spring.",
          "org.jhal.spark.",
          "java.",
          "jdk.");

  private static final String API = "org.jhal";

  private final SoftReference<Call> call = new SoftReference<>(new Call());

  private ProgramLine() {}

  /** The line of the innermost call by the program on this thread. */
  public static ProgramLine ofCaller() {
    return new ProgramLine();
  }

  /** Its text; empty for none. */
  static String text(@Nullable ProgramLine line) {
    return line == null ? "" : line.toString();
  }

  private static boolean isOfProgram(String name) {
    for (String before : BETWEEN) {
      if (name.startsWith(before)) {
        return false;
      }
    }
    return name.lastIndexOf('.') != API.length() || !name.startsWith(API);
  }

  /**
   * Such as {@code com.example.Blur.main(Blur.java:31)}, which many consoles show as a link; empty
   * if the thread is one of JHAL, or if the line was forgotten.
   */
  @Override
  public String toString() {
    Call made = call.get();
    for (StackTraceElement each : made == null ? new StackTraceElement[0] : made.getStackTrace()) {
      if (isOfProgram(each.getClassName())) {
        String file = each.getFileName();
        return each.getClassName()
            + "."
            + each.getMethodName()
            + "("
            + (file == null ? "no file" : file + ":" + each.getLineNumber())
            + ")";
      }
    }
    return "";
  }
}
