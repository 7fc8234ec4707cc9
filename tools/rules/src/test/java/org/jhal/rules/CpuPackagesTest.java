// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The packages of driver-cpu: which of them may see which, and what others can see of them. */
class CpuPackagesTest {
  private static final String CPU = "org.jhal.cpu";
  private static final String COMPILE = CPU + ".compile";
  private static final String RUNTIME = CPU + ".runtime";
  private static final String TRANSLATE = CPU + ".translate";

  /** For each package the others that it may use; docs/design.md has the same table. */
  private static final Map<String, Set<String>> MAY_SEE =
      Map.of(
          TRANSLATE, Set.of(),
          RUNTIME, Set.of(TRANSLATE),
          COMPILE, Set.of(RUNTIME, TRANSLATE),
          CPU, Set.of(COMPILE, RUNTIME, TRANSLATE));

  private static final JavaClasses CLASSES = Repository.classes("driver-cpu");

  @Test
  void eachPackageSeesOnlyWhatItMay() {
    assertEquals(List.of(), new PackageTable(MAY_SEE).violations(CLASSES));
  }

  @Test
  void onlyTheDriverIsExported() {
    assertEquals(
        Set.of(CPU),
        ModuleFinder.of(Repository.compiled("driver-cpu"))
            .find(CPU)
            .orElseThrow()
            .descriptor()
            .exports()
            .stream()
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));
  }

  /**
   * The service loader needs the provider, and the command line the tool; programs need neither.
   */
  @Test
  void onlyTheProviderAndTheToolArePublic() {
    assertEquals(
        Set.of("CompileTool", "CpuDriverProvider"),
        CLASSES.stream()
            .filter(
                type ->
                    type.getPackageName().equals(CPU)
                        && type.isTopLevelClass()
                        && !type.getSimpleName().equals("package-info")
                        && type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getSimpleName)
            .collect(Collectors.toSet()));
  }
}
