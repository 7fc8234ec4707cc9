// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sources that use each name of the dialect, for the compilers of vendors. */
public final class DialectSources {
  private static final Pattern SIGNATURE = Pattern.compile("(.+?) (\\w+)\\((.*)\\)");

  private DialectSources() {}

  /** A function for each one of the suite's list, which calls that. */
  public static String functions() {
    Set<String> headers = new TreeSet<>();
    StringBuilder text = new StringBuilder();
    int number = 0;
    for (String line : read("org/jhal/cts/kernels/functions.txt").lines().toList()) {
      if (line.startsWith("#include")) {
        headers.add(line);
        continue;
      }
      Matcher signature = SIGNATURE.matcher(line);
      if (!signature.matches()) {
        throw new IllegalStateException("no signature: " + line);
      }
      StringBuilder parameters = new StringBuilder();
      StringBuilder arguments = new StringBuilder();
      int index = 0;
      for (String type : signature.group(3).split(", ")) {
        String comma = index > 0 ? ", " : "";
        parameters.append(comma).append(type).append(" a").append(index);
        arguments.append(comma).append("a").append(index++);
      }
      text.append(
          "__device__ %s call%d(%s) { return %s(%s); }\n"
              .formatted(signature.group(1), number++, parameters, signature.group(2), arguments));
    }
    return String.join("\n", headers) + "\n" + text;
  }

  /** All that is not in that list. */
  public static String names() {
    return read("org/jhal/simulator/kit/names.cpp");
  }

  private static String read(String resource) {
    try (InputStream in = DialectSources.class.getClassLoader().getResourceAsStream(resource)) {
      return new String(
          Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
