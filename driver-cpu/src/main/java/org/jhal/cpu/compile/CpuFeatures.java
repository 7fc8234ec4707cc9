package org.jhal.cpu.compile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the processor is: code that was compiled for one must never run on another. */
public final class CpuFeatures {
  private static final List<String> LINES =
      List.of(
          "vendor_id",
          "cpu family",
          "model",
          "model name",
          "stepping",
          "flags",
          "Features",
          "CPU implementer",
          "CPU architecture",
          "CPU variant",
          "CPU part");

  private CpuFeatures() {}

  /** All that the system says about the first processor. */
  public static String text() {
    StringBuilder text = new StringBuilder(System.getProperty("os.arch", "?"));
    for (String line : lines()) {
      if (line.isBlank()) {
        break; // the others are alike
      }
      if (LINES.contains(line.split(":", 2)[0].strip())) {
        text.append('\n').append(line);
      }
    }
    return text.toString();
  }

  /** The name of the processor, for people. */
  public static String name() {
    for (String line : lines()) {
      if (line.startsWith("model name")) {
        return line.substring(line.indexOf(':') + 1).strip();
      }
    }
    return System.getProperty("os.arch", "unknown") + " processor";
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo"));
    } catch (IOException e) {
      return List.of();
    }
  }
}
