// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which packages of a module may see which.
 *
 * @param maySee for each package, the others that it may use: whole packages or single classes, by
 *     their full names
 */
record PackageTable(Map<String, Set<String>> maySee) {
  /** Describes the uses by {@code classes} that the table does not allow, or does not know. */
  List<String> violations(JavaClasses classes) {
    Set<String> packages = Repository.packages(classes);
    List<String> violations = new ArrayList<>();
    for (String name : packages) {
      if (!maySee.containsKey(name)) {
        violations.add("the table does not have " + name);
      }
    }
    for (String name : maySee.keySet()) {
      if (!packages.contains(name)) {
        violations.add("the table has " + name + ", which is not there");
      }
    }
    for (JavaClass from : classes) {
      Set<String> allowed = maySee.getOrDefault(from.getPackageName(), Set.of());
      for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
        JavaClass to = dependency.getTargetClass().getBaseComponentType();
        if (maySee.containsKey(to.getPackageName())
            && !to.getPackageName().equals(from.getPackageName())
            && !allowed.contains(to.getPackageName())
            && !allowed.contains(to.getName())) {
          violations.add(dependency.getDescription());
        }
      }
    }
    return violations;
  }
}
