// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The packages of hal-kernels: which of them may see which, and what drivers can see of them. */
class KernelPackagesTest {
  private static final String KERNELS = "org.jhal.kernels";
  private static final String BUNDLE = KERNELS + ".bundle";
  private static final String CACHE = KERNELS + ".cache";
  private static final String CHECK = KERNELS + ".check";
  private static final String SOURCE = KERNELS + ".source";

  /** For each package the others that it may use; docs/design.md has the same table. */
  private static final Map<String, Set<String>> MAY_SEE =
      Map.of(
          BUNDLE,
          Set.of(),
          CACHE,
          Set.of(),
          CHECK,
          Set.of(),
          KERNELS + ".compile",
          Set.of(BUNDLE, SOURCE),
          KERNELS + ".dialect",
          Set.of(),
          SOURCE,
          Set.of(BUNDLE),
          KERNELS + ".workgroup",
          Set.of(BUNDLE, CHECK));

  /** Types that are public for another package of this module, and for the command line. */
  private static final Set<String> NOT_FOR_DRIVERS =
      Set.of(BUNDLE + ".JavaKernels", CACHE + ".CacheTool", CHECK + ".CheckTool");

  private static final JavaClasses CLASSES = Repository.classes("hal-kernels");

  @Test
  void eachPackageSeesOnlyWhatItMay() {
    assertEquals(List.of(), new PackageTable(MAY_SEE).violations(CLASSES));
  }

  @Test
  void driversSeeAllPackages() {
    assertEquals(
        MAY_SEE.keySet(),
        ModuleFinder.of(Repository.compiled("hal-kernels"))
            .find(KERNELS)
            .orElseThrow()
            .descriptor()
            .exports()
            .stream()
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));
  }

  /** A public type is one that some driver uses, or that such a type shows. */
  @Test
  void everyPublicTypeIsUsedByADriver() throws IOException {
    List<String> users = new ArrayList<>(Repository.drivers());
    users.addAll(List.of("hal-gpu", "hal-spirv", "examples/driver"));
    assertEquals(
        NOT_FOR_DRIVERS,
        EnginePackagesTest.unused(CLASSES, users).stream()
            .map(JavaClass::getName)
            .collect(Collectors.toSet()));
  }
}
