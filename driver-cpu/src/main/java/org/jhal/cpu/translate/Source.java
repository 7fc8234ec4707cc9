// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a kernel may use of the source around it: functions, classes, and variables that change. */
final class Source {
  /** Namespaces and the like whose functions are those of the dialect. */
  private static final Set<String> NAMESPACES = Set.of("std", "cooperative_groups", "cg");

  private final SourceFile file;
  private final Set<String> functions = new HashSet<>();
  private final Set<String> classes = new HashSet<>();
  private final Set<String> takers = new HashSet<>(); // functions that may change an argument

  Source(SourceFile file) {
    this.file = file;
    file.classes().forEach(each -> classes.add(each.name()));
    for (Function function : file.functions()) {
      functions.add(function.text());
      if (function.parameters().stream().anyMatch(Source::isReference)) {
        takers.add(function.text());
      }
    }
  }

  /** Whether an argument may change through a parameter, which may also be a reference to that. */
  private static boolean isReference(List<Token> parameter) {
    boolean isReference = parameter.stream().anyMatch(token -> token.is("&") || token.is("&&"));
    boolean isConstant =
        parameter.get(0).is("const") && parameter.stream().noneMatch(t -> t.is("*"));
    return isReference && !isConstant && !parameter.get(0).is("hal_item");
  }

  /** Variables outside functions, some of which may be constant. */
  Set<String> globals() {
    return file.variables();
  }

  boolean isFunction(String name) {
    return functions.contains(name);
  }

  /**
   * Which calls keep their arguments: those of functions without references, and of what the
   * dialect has. Methods, lambdas and constructors of the source's classes may do anything.
   *
   * @param own variables of the kernel, which may be lambdas
   */
  Changes.Callees callees(Set<String> own) {
    return (tokens, name) -> {
      Token called = tokens.get(name);
      if (!called.isWord() || own.contains(called.text()) || isClass(called.text())) {
        return false;
      }
      if (Tokens.is(tokens, name - 1, ".") || Tokens.is(tokens, name - 1, "->")) {
        return false;
      }
      if (Tokens.is(tokens, name - 1, "::")) {
        String qualifier = Tokens.get(tokens, name - 2).text();
        if (!NAMESPACES.contains(qualifier) && !file.namespaces().contains(qualifier)) {
          return false;
        }
      }
      if (isDeclared(tokens, name)) {
        return false; // Foo foo(x) may keep a reference
      }
      return !takers.contains(called.text());
    };
  }

  private boolean isClass(String name) {
    return classes.contains(name);
  }

  private boolean isDeclared(List<Token> tokens, int name) {
    Token before = Tokens.get(tokens, name - 1);
    return before.isWord() && isClass(before.text());
  }
}
