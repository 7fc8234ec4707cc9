package org.jhal.bench.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Cycles of classes within a package: sets of classes each of which needs all others, directly or
 * through others of them. A class counts together with what is nested in it.
 */
final class ClassCycles {
  private ClassCycles() {}

  /** The names of the classes of the largest cycle; empty if there is none. */
  static Set<String> largest(JavaClasses classes, String packageName) {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass type : classes) {
      if (type.getPackageName().equals(packageName)) {
        Set<String> used = uses.computeIfAbsent(outermost(type), name -> new TreeSet<>());
        type.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getBaseComponentType())
            .filter(target -> target.getPackageName().equals(packageName))
            .map(ClassCycles::outermost)
            .forEach(used::add);
      }
    }
    Set<String> largest = Set.of();
    for (String name : uses.keySet()) {
      Set<String> cycle = reached(name, uses);
      cycle.removeIf(other -> !reached(other, uses).contains(name));
      if (cycle.size() > Math.max(1, largest.size())) {
        largest = cycle;
      }
    }
    return largest;
  }

  private static Set<String> reached(String from, Map<String, Set<String>> uses) {
    Set<String> reached = new TreeSet<>();
    Deque<String> left = new ArrayDeque<>(Set.of(from));
    while (!left.isEmpty()) {
      for (String next : uses.getOrDefault(left.remove(), Set.of())) {
        if (reached.add(next)) {
          left.add(next);
        }
      }
    }
    reached.retainAll(uses.keySet());
    return reached;
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(ClassCycles::outermost).orElse(type.getName());
  }
}
