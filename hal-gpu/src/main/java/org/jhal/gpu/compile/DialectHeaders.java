// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.driver.dialect.Dialect;
import org.jhal.driver.source.SourceCode;

/**
 * The include files that run-time compilers lack, or have only where a toolkit is installed, and
 * get from JHAL. Each has all its content, and includes no other one.
 *
 * <p>Thread-safe.
 */
final class DialectHeaders {
  private static final String MEMBER = "hal_member.h";
  private static final String COOPERATIVE = "hal_cooperative.h";

  /** Made when a source first needs it. */
  private static final class Texts {
    static final Map<String, String> BY_NAME = make();

    private static Map<String, String> make() {
      Map<String, String> texts = new LinkedHashMap<>();
      for (Map.Entry<String, String> include : Dialect.includes().entrySet()) {
        String file = include.getValue();
        if (!file.isEmpty()) {
          String before = file.equals(COOPERATIVE) ? own() : "";
          texts.put(include.getKey(), Dialect.text("hal_compiler.h") + before + Dialect.text(file));
        }
      }
      return texts;
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
