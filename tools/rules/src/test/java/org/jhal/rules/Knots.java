// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The knots of a package: classes each of which uses all others, directly or through one another.
 * Nested classes count as parts of the outermost one. Found by Tarjan's algorithm for strongly
 * connected components.
 */
final class Knots {
  private final Map<String, Set<String>> uses;
  private final Map<String, Integer> order = new HashMap<>(); // in which classes were reached
  private final Deque<String> open = new ArrayDeque<>(); // reached, and in no component yet
  private final List<Set<String>> found = new ArrayList<>();

  private Knots(Map<String, Set<String>> uses) {
    this.uses = uses;
  }

  /** The knots of two or more classes, by simple names, the largest first. */
  static List<Set<String>> of(JavaClasses classes, String packageName) {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass from : classes) {
      if (from.getPackageName().equals(packageName)) {
        Set<String> used = uses.computeIfAbsent(outermost(from), name -> new TreeSet<>());
        from.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getBaseComponentType())
            .filter(to -> to.getPackageName().equals(packageName))
            .forEach(to -> used.add(outermost(to)));
      }
    }
    Knots knots = new Knots(uses);
    for (String name : uses.keySet()) {
      if (!knots.order.containsKey(name)) {
        knots.visit(name);
      }
    }
    return knots.found.stream()
        .filter(knot -> knot.size() > 1)
        .sorted(Comparator.comparing(knot -> -knot.size()))
        .toList();
  }

  /** Returns the earliest open class that {@code name} leads to, by its place in the order. */
  private int visit(String name) {
    int own = order.size();
    order.put(name, own);
    open.push(name);
    int low = own;
    for (String used : uses.getOrDefault(name, Set.of())) {
      Integer reached = order.get(used);
      if (reached == null) {
        low = Math.min(low, visit(used));
      } else if (open.contains(used)) {
        low = Math.min(low, reached);
      }
    }
    if (low == own) {
      Set<String> component = new TreeSet<>();
      String last;
      do {
        last = open.pop();
        component.add(last);
      } while (!last.equals(name));
      found.add(component);
    }
    return low;
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(Knots::outermost).orElse(type.getSimpleName());
  }
}
