// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.kernels.dialect.Dialect;
import org.jhal.kernels.source.SourceCode;

/**
 * The include files that run-time compilers lack, or have only where a toolkit is installed, and
 * get from JHAL. Each has all its content, and includes no other one.
 *
 * <p>Thread-safe.
 */
final class DialectHeaders {
  private static final String MEMBER = "hal_member.h";
  private static final String COOPERATIVE = "hal_cooperative.h";
  private static final String INCLUDE = "#include \"";

  /** Made when a source first needs it. */
  private static final class Texts {
    static final Map<String, String> BY_NAME = make();

    private static Map<String, String> make() {
      Map<String, String> texts = new LinkedHashMap<>();
      for (Map.Entry<String, String> include : Dialect.includes().entrySet()) {
        String file = include.getValue();
        if (!file.isEmpty()) {
          StringBuilder text = new StringBuilder(Dialect.text("hal_compiler.h"));
          Set<String> added = new HashSet<>();
          if (file.equals(COOPERATIVE)) {
            addLines(own(), added, text);
          }
          addLines(Dialect.text(file), added, text);
          texts.put(include.getKey(), text.toString());
        }
      }
      return texts;
    }

    /** Adds the lines of a header, with those that it includes in their places, each once. */
    private static void addLines(String header, Set<String> added, StringBuilder to) {
      for (String line : header.split("\n")) {
        if (!line.startsWith(INCLUDE)) {
          to.append(line).append('\n');
          continue;
        }
        String included = line.substring(INCLUDE.length(), line.length() - 1);
        if (added.add(included)) {
          addLines(Dialect.text(included), added, to);
        }
      }
    }

    private static String own() {
      try (InputStream in = DialectHeaders.class.getResourceAsStream(MEMBER)) {
        if (in == null) {
          throw new IllegalStateException("no resource " + MEMBER);
        }
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read the resource " + MEMBER, e);
      }
    }
  }

  private DialectHeaders() {}

  /** A source with those of the headers that it includes and its bundle lacks. */
  static SourceCode addTo(SourceCode source, List<String> options) {
    boolean mayInclude = source.text().contains("include"); // else no header is read
    return mayInclude ? source.with(with(options)) : source;
  }

  /**
   * The headers by the NAME under which sources include them; none if the options name a folder,
   * whose files would be hidden by them.
   */
  static Map<String, String> with(List<String> options) {
    for (String option : options) {
      if (option.startsWith("-I") || option.startsWith("--include-path")) {
        return Map.of();
      }
    }
    return Texts.BY_NAME;
  }
}
