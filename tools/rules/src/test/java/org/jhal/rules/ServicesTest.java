// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A service is found on the module path and on the class path alike. */
class ServicesTest {
  @TestFactory
  Stream<DynamicTest> descriptorAndServiceFilesAgree() throws IOException {
    return Stream.concat(Repository.modules().stream(), Stream.of(Repository.FFM))
        .filter(Repository::isCompiled)
        .filter(module -> Files.exists(Repository.compiled(module).resolve("module-info.class")))
        .map(
            module ->
                DynamicTest.dynamicTest(
                    module,
                    () ->
                        assertEquals(
                            provided(Repository.compiled(module)),
                            listed(Repository.compiled(module)))));
  }

  @Test
  void controlAServiceFileIsRead(@TempDir Path folder) throws IOException {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(services.resolve("a.Service"), "# why\nb.One # first\n\nb.Two\n");
    assertEquals(Map.of("a.Service", Set.of("b.One", "b.Two")), listed(folder));
  }

  /** What the module descriptor provides: service to providers. */
  private static Map<String, Set<String>> provided(Path classes) {
    Map<String, Set<String>> services = new TreeMap<>();
    for (ModuleReference module : ModuleFinder.of(classes).findAll()) {
      for (ModuleDescriptor.Provides provides : module.descriptor().provides()) {
        services.put(provides.service(), new TreeSet<>(provides.providers()));
      }
    }
    return services;
  }

  /** What META-INF/services lists: service to providers. */
  private static Map<String, Set<String>> listed(Path classes) throws IOException {
    Map<String, Set<String>> services = new TreeMap<>();
    Path folder = classes.resolve("META-INF/services");
    if (!Files.isDirectory(folder)) {
      return services;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        services.put(
            file.getFileName().toString(),
            Files.readAllLines(file).stream()
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new)));
      }
    }
    return services;
  }
}
