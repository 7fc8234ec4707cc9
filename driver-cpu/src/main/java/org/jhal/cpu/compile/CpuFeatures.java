// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * What a processor is and can do: code that was compiled for one must never run on another.
 *
 * @param kind {@code x86_64}, {@code aarch64}, or what Java calls another
 * @param name its name, for people
 * @param text all that identifies it, for the key of what is compiled for it
 * @param flags its features, in the words of {@code /proc/cpuinfo}
 */
public record CpuFeatures(String kind, String name, String text, Set<String> flags) {
  /** What identifies a processor, in the files of x86 and of ARM. */
  private static final Set<String> IDENTITY =
      Set.of(
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

  /** Those of this machine; null until they were read. */
  private static volatile @Nullable CpuFeatures machine;

  /** Copies the set. */
  public CpuFeatures {
    flags = Set.copyOf(flags);
  }

  /** The processors of this machine. */
  public static CpuFeatures machine() {
    CpuFeatures known = machine;
    if (known == null) {
      known = read(Path.of("/proc/cpuinfo"));
      machine = known;
    }
    return known;
  }

  /** What a file describes; nothing is known to fit if there is none. */
  static CpuFeatures read(Path file) {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException | AccessDeniedException e) {
      text = "";
    } catch (IOException e) { // such as a lack of file handles, which passes
      throw HostFailures.of(Status.UNAVAILABLE, "cannot read " + file, e);
    }
    return of(System.getProperty("os.arch", "unknown"), text);
  }

  /**
   * The processors that a text describes.
   *
   * @param arch the system property {@code os.arch}
   * @param cpuinfo the content of {@code /proc/cpuinfo}; of several processors, those features
   *     count that all have
   */
  static CpuFeatures of(String arch, String cpuinfo) {
    String kind = arch.equals("amd64") ? "x86_64" : arch;
    Set<String> identity = new LinkedHashSet<>(List.of(kind));
    Set<String> flags = null;
    String name = kind + " processor";
    for (String line : cpuinfo.lines().toList()) {
      int colon = line.indexOf(':');
      String key = colon < 0 ? "" : line.substring(0, colon).strip();
      if (!IDENTITY.contains(key)) {
        continue;
      }
      String value = line.substring(colon + 1).strip();
      identity.add(key + ": " + value);
      if (key.equals("model name")) {
        name = value;
      } else if (key.equals("flags") || key.equals("Features")) {
        Set<String> own = new LinkedHashSet<>(Arrays.asList(value.split("\\s+")));
        if (flags != null) {
          own.retainAll(flags);
        }
        flags = own;
      }
    }
    return new CpuFeatures(
        kind, name, String.join("\n", identity), flags == null ? Set.of() : flags);
  }

  /** Whether it is known what it can do. If not, what was compiled for it may not be kept. */
  public boolean isKnown() {
    return !flags.isEmpty();
  }

  /** What code for an architecture may use and this processor lacks; empty if it runs such code. */
  public List<String> missing(Architecture architecture) {
    return kind.equals(architecture.family())
        ? architecture.features().stream().filter(feature -> !flags.contains(feature)).toList()
        : List.of(architecture.family());
  }

  /** The highest architecture whose code this processor runs. */
  public Optional<Architecture> highest() {
    return Architecture.highestFirst().stream().filter(one -> missing(one).isEmpty()).findFirst();
  }
}
