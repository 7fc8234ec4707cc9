package org.jhal.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.spi.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The subcommands of other modules: {@link ToolProvider}s whose name begins with {@code hal-}. */
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

  /** What can stand after {@code hal}, in alphabetical order. */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    for (ToolProvider tool : all()) {
      names.add(tool.name().substring(PREFIX.length()));
    }
    Collections.sort(names);
    return names;
  }

  private static List<ToolProvider> all() {
    List<ToolProvider> tools = new ArrayList<>();
    Iterator<ToolProvider> providers = ServiceLoader.load(ToolProvider.class).iterator();
    int failures = 0;
    while (failures < 100) { // a loader that fails for ever must not hang us
      try {
        if (!providers.hasNext()) {
          break;
        }
        ToolProvider tool = providers.next();
        if (tool.name().startsWith(PREFIX)) {
          tools.add(tool);
        }
      } catch (ServiceConfigurationError broken) {
        failures++; // one that cannot be loaded must not take the others along
      }
    }
    return tools;
  }
}
