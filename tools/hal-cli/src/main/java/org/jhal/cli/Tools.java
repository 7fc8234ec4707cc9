// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The subcommands of other projects: {@link ToolProvider}s whose name begins with {@code hal-}. */
final class Tools {
  private static final String PREFIX = "hal-";

  private Tools() {}

  /** The tool behind {@code hal NAME}, or null. */
  static @Nullable ToolProvider find(String name) {
    for (ToolProvider tool : all()) {
      if (tool.name().equals(PREFIX + name)) {
        return tool;
      }
    }
    return null;
  }

  /** The names of these subcommands, in alphabetical order. */
  static List<String> names() {
    return List.copyOf(descriptions().keySet());
  }

  /** For each name, in alphabetical order, one line that describes the subcommand. */
  static SortedMap<String, String> descriptions() {
    SortedMap<String, String> descriptions = new TreeMap<>();
    for (ToolProvider tool : all()) {
      String name = tool.name().substring(PREFIX.length());
      descriptions.put(name, description(tool).orElse("See hal " + name + " --help."));
    }
    return descriptions;
  }

  /**
   * The result of {@code ToolProvider.description()} of Java 19, which a tool may have on any Java.
   */
  private static Optional<String> description(ToolProvider tool) {
    try {
      return tool.getClass().getMethod("description").invoke(tool) instanceof Optional<?> text
          ? text.map(String::valueOf)
          : Optional.empty();
    } catch (ReflectiveOperationException | LinkageError e) {
      return Optional.empty(); // it has none, or its module does not export its class
    }
  }

  private static List<ToolProvider> all() {
    List<ToolProvider> tools = new ArrayList<>();
    Iterator<ToolProvider> providers = ServiceLoader.load(ToolProvider.class).iterator();
    int failures = 0;
    while (failures < 100) { // a loader that keeps failing must not hang us
      try {
        if (!providers.hasNext()) {
          break;
        }
        ToolProvider tool = providers.next();
        if (tool.name().startsWith(PREFIX)) {
          tools.add(tool);
        }
      } catch (ServiceConfigurationError broken) {
        failures++; // a tool that cannot be loaded must not affect the others
      }
    }
    return tools;
  }
}
