// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import com.sun.jna.Pointer;
import com.sun.jna.PointerType;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.ByReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Functions as a header declares them, from its preprocessed text, and checks of them for a
 * compiler.
 */
final class CHeader {
  /** __builtin_classify_type of a pointer, in gcc and clang. */
  private static final int POINTER_CLASS = 5;

  private final String text;

  CHeader(String preprocessed) {
    text = preprocessed;
  }

  boolean declares(String function) {
    return find(function).find();
  }

  private Matcher find(String function) {
    return Pattern.compile("([\\w\\s*]+?)\\b" + function + "\\s*\\(([^;{]*?)\\)\\s*;")
        .matcher(text);
  }

  /** Assertions in C that hold if a mapped function agrees with the header's declaration. */
  List<String> assertions(Method function) {
    return assertions(function.getName(), function);
  }

  /** The same for a method whose name differs from the function's. */
  List<String> assertions(String name, Method function) {
    Matcher declaration = find(name);
    if (!declaration.find()) {
      return List.of(wrong(name, "is not declared"));
    }
    List<String> types = parameterTypes(declaration.group(2));
    Class<?>[] mapped = function.getParameterTypes();
    if (types.size() != mapped.length) {
      return List.of(wrong(name, "takes " + types.size() + " arguments, not " + mapped.length));
    }
    List<String> assertions = new ArrayList<>();
    add(assertions, declaration.group(1).strip(), function.getReturnType(), name, "the result");
    for (int i = 0; i < mapped.length; i++) {
      add(assertions, types.get(i), mapped[i], name, "argument " + i);
    }
    return assertions;
  }

  /** {@code const void* src, size_t n}: their types. */
  private static List<String> parameterTypes(String parameters) {
    if (parameters.isBlank() || parameters.strip().equals("void")) {
      return List.of();
    }
    return Stream.of(parameters.split(","))
        .map(parameter -> parameter.strip().replaceFirst("\\s*\\w+$", ""))
        .toList();
  }

  private static void add(
      List<String> assertions, String type, Class<?> mapped, String function, String what) {
    String label = function + ": " + what;
    if (mapped.isPrimitive()) {
      assertions.add(equal("sizeof(" + type + ")", bytes(mapped), label));
      if (mapped != long.class) {
        assertions.add(differ(pointerClass(type), label));
      }
    } else {
      assertions.add(equal(pointerClass(type), POINTER_CLASS, label));
      int pointee = pointeeBytes(mapped);
      if (pointee > 0 && !type.matches("(const )?void\\s*\\*")) {
        assertions.add(equal("sizeof(*(" + type + ")0)", pointee, label));
      }
    }
  }

  private static String pointerClass(String type) {
    return "__builtin_classify_type((" + type + ")0)";
  }

  private static int bytes(Class<?> primitive) {
    return primitive == byte.class
        ? 1
        : primitive == short.class ? 2 : primitive == int.class ? 4 : 8;
  }

  /** The required size of the pointer's target; 0 if the caller decides. */
  private static int pointeeBytes(Class<?> mapped) {
    if (mapped == String.class) {
      return 1;
    }
    if (mapped == int[].class || mapped == float[].class) {
      return 4;
    }
    if (mapped == long[].class
        || ByReference.class.isAssignableFrom(mapped)
        || mapped == StringArray.class) {
      return 8;
    }
    if (mapped == byte[].class
        || Pointer.class.isAssignableFrom(mapped)
        || PointerType.class.isAssignableFrom(mapped)) {
      return 0;
    }
    throw new IllegalArgumentException("no rule for " + mapped);
  }

  static String equal(String expression, int expected, String label) {
    return "_Static_assert("
        + expression
        + " == "
        + expected
        + ", \""
        + label
        + ": "
        + expression
        + " is not "
        + expected
        + "\");";
  }

  private static String differ(String expression, String label) {
    return "_Static_assert("
        + expression
        + " != "
        + POINTER_CLASS
        + ", \""
        + label
        + " is a pointer\");";
  }

  private static String wrong(String function, String what) {
    return "_Static_assert(0, \"" + function + ": " + what + "\");";
  }
}
