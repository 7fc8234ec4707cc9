// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jhal.kernels.dialect.Dialect;

/**
 * Which functions of a source may become a part of a kernel, so that loops in them, or around calls
 * of them, may run in {@link Lockstep}: functions of numbers and pointers to numbers that no call
 * can confuse with others.
 */
final class LockstepFunctions {
  private static final Set<String> LOOPS = Set.of("for", "while", "do");

  /** Of variables that a function has once. */
  private static final Set<String> OF_FUNCTION = Set.of("static", "__shared__", "thread_local");

  private static final Pattern CALLED = Pattern.compile("([A-Za-z_][A-Za-z_0-9]*)\\s*\\(");

  /** A use of a macro of the dialect, which may make functions of its arguments. */
  private static final Pattern MACRO = Pattern.compile("HAL_[A-Z_0-9]+\\(([^()]*)\\)");

  /** Names that functions of the dialect may have, read when a source has functions of numbers. */
  private static final class OfDialect {
    static final Set<String> NAMES = names();
  }

  private final Map<String, Function> all = new HashMap<>();

  LockstepFunctions(SourceFile file, Source source) {
    Map<String, Integer> counts = new HashMap<>();
    for (Function function : file.functions()) {
      counts.merge(function.text(), function.hasBody() ? 1 : 0, Integer::sum);
      if (function.hasBody() && !function.isKernel() && isOfNumbers(function, source)) {
        all.put(function.text(), function);
      }
    }
    all.keySet()
        .removeIf(
            name ->
                counts.getOrDefault(name, 0) != 1
                    || isOfDialect(name)
                    || source.declaresOther(name)); // such as a friend
  }

  private static Set<String> names() {
    Set<String> names = new HashSet<>();
    for (String file : Dialect.files()) {
      String text = Dialect.text(file).replaceAll("//.*", "");
      CALLED.matcher(text).results().forEach(found -> names.add(found.group(1)));
      MACRO
          .matcher(text)
          .results()
          .forEach(found -> names.addAll(Arrays.asList(found.group(1).split("\\W+"))));
    }
    return names;
  }

  /** Whether a call may mean a function of the dialect; macros make some names with an f. */
  private static boolean isOfDialect(String name) {
    boolean isOfFloats =
        name.endsWith("f") && OfDialect.NAMES.contains(name.substring(0, name.length() - 1));
    return OfDialect.NAMES.contains(name) || isOfFloats || name.startsWith("__");
  }

  private static boolean isOfNumbers(Function function, Source source) {
    List<List<Token>> types = new ArrayList<>();
    boolean isVoid = function.result().size() == 1 && function.result().get(0).is("void");
    if (!isVoid) {
      types.add(function.result());
    }
    for (List<Token> parameter : function.parameters()) {
      if (!parameter.get(0).is("hal_item")) {
        types.add(parameter.subList(0, parameter.size() - 1)); // without a default value
      }
    }
    return function.isPlain()
        && function.templateParameters() == null
        && function.statements().stream().noneMatch(token -> OF_FUNCTION.contains(token.text()))
        && types.stream().allMatch(type -> isOfNumbers(type, source));
  }

  private static boolean isOfNumbers(List<Token> type, Source source) {
    boolean isReference = type.stream().anyMatch(token -> token.is("&"));
    if (isReference && type.stream().anyMatch(token -> token.is("const"))) {
      return false; // which may be one to a number that the call converts
    }
    List<Token> words = new ArrayList<>(type);
    words.removeIf(token -> token.is("__restrict__") || token.is("&") || token.is("*"));
    return LockstepExpressions.type(words, source) != null;
  }

  /** Whether a kernel has loops, or may call functions that have. */
  boolean hasLoops(Function kernel) {
    return hasLoop(kernel) || !withLoops(called(kernel)).isEmpty();
  }

  /** Names of functions to make a part of a kernel, as many as possible first. */
  Set<Set<String>> choices(Function kernel) {
    Map<String, Set<String>> called = called(kernel);
    Set<Set<String>> choices = new LinkedHashSet<>();
    choices.add(called.keySet());
    choices.add(withLoops(called));
    choices.add(Set.of());
    return choices;
  }

  private static boolean hasLoop(Function function) {
    return function.statements().stream().anyMatch(token -> LOOPS.contains(token.text()));
  }

  /** The functions that a kernel reaches by few calls, with those that each of them calls. */
  private Map<String, Set<String>> called(Function kernel) {
    Map<String, Set<String>> found = new HashMap<>();
    Set<String> next = calledBy(kernel);
    for (int depth = 0; depth < Inliner.DEPTH && !next.isEmpty(); depth++) {
      Set<String> further = new HashSet<>();
      for (String name : next) {
        if (!found.containsKey(name)) {
          Set<String> own = calledBy(Objects.requireNonNull(all.get(name)));
          found.put(name, own);
          further.addAll(own);
        }
      }
      next = further;
    }
    return found;
  }

  private Set<String> calledBy(Function function) {
    Set<String> called = new HashSet<>();
    for (Token token : function.statements()) {
      if (token.isWord() && all.containsKey(token.text())) {
        called.add(token.text());
      }
    }
    return called;
  }

  /** Those that have loops, or call functions that have. */
  private Set<String> withLoops(Map<String, Set<String>> called) {
    Set<String> found = new HashSet<>();
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Map.Entry<String, Set<String>> each : called.entrySet()) {
        Function function = Objects.requireNonNull(all.get(each.getKey()));
        boolean has = hasLoop(function) || each.getValue().stream().anyMatch(found::contains);
        isChanged |= has && found.add(each.getKey());
      }
    }
    return found;
  }
}
