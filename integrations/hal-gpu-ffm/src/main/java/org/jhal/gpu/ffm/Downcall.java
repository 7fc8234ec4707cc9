// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Makes the method handle that calls the native function for a method of a table. */
final class Downcall {
  /** The C types of numbers. */
  private static final Map<Class<?>, ValueLayout> NUMBERS =
      Map.of(int.class, ValueLayout.JAVA_INT, long.class, ValueLayout.JAVA_LONG);

  /**
   * Small numbers are passed as integers, unsigned: compilers rely on it that the bits of the
   * register above the number are zeros.
   */
  private static final Map<Class<?>, Class<?>> SMALL_NUMBERS =
      Map.of(byte.class, Byte.class, short.class, Short.class);

  private Downcall() {}

  /**
   * The handle, of the method's type.
   *
   * @throws IllegalArgumentException if the method has a type that cannot be passed
   * @throws IllegalCallerException if Java does not allow native calls
   * @throws UnsupportedOperationException if this Java has none
   */
  static MethodHandle of(Method method, long address) {
    List<Class<?>> parameters = List.of(method.getParameterTypes());
    MethodHandle made =
        Linker.nativeLinker()
            .downcallHandle(
                MemorySegment.ofAddress(address),
                FunctionDescriptor.of(
                    number(method.getReturnType(), method),
                    parameters.stream()
                        .map(type -> layout(type, method))
                        .toArray(MemoryLayout[]::new)));
    for (int i = 0; i < parameters.size(); i++) {
      Class<?> type = parameters.get(i);
      if (type.isArray()) {
        made = withArray(made, i, type, method);
      } else if (SMALL_NUMBERS.containsKey(type)) {
        made = withSmallNumber(made, i, type);
      }
    }
    return made;
  }

  private static ValueLayout layout(Class<?> parameter, Method method) {
    if (parameter.isArray()) {
      return ValueLayout.JAVA_LONG;
    }
    return SMALL_NUMBERS.containsKey(parameter) ? ValueLayout.JAVA_INT : number(parameter, method);
  }

  private static ValueLayout number(Class<?> type, Method method) {
    ValueLayout layout = NUMBERS.get(type);
    if (layout == null) {
      throw unsuitable(type, method);
    }
    return layout;
  }

  private static IllegalArgumentException unsuitable(Class<?> type, Method method) {
    return new IllegalArgumentException(
        "%s has the type %s, which is not passed to native functions"
            .formatted(method, type.getSimpleName()));
  }

  private static MethodHandle withSmallNumber(MethodHandle function, int index, Class<?> type) {
    try {
      MethodHandle widen =
          MethodHandles.lookup()
              .findStatic(
                  SMALL_NUMBERS.get(type), "toUnsignedInt", MethodType.methodType(int.class, type));
      return MethodHandles.filterArguments(function, index, widen);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e); // they are public
    }
  }

  /**
   * Replaces a parameter that is a pointer by an array: its first element is copied to native
   * memory before the call, and back after it.
   */
  private static MethodHandle withArray(
      MethodHandle function, int index, Class<?> array, Method method) {
    MethodHandle before;
    MethodHandle after;
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      lookup.ensureInitialized(Scratch.class); // not in an operation that is short of stack
      before =
          lookup.findStatic(
              Scratch.class, "pass", MethodType.methodType(long.class, int.class, array));
      after =
          lookup.findStatic(
              Scratch.class, "fetch", MethodType.methodType(void.class, int.class, array));
    } catch (NoSuchMethodException e) {
      throw unsuitable(array, method);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e); // they are in this package
    }
    MethodHandle called =
        MethodHandles.filterArguments(
            function, index, MethodHandles.insertArguments(before, 0, index));
    // (result, arguments...) to result, which fetches the element on the way
    MethodType type = called.type();
    Class<?> result = type.returnType();
    MethodHandle fetch =
        MethodHandles.dropArguments(
            MethodHandles.insertArguments(after, 0, index),
            0,
            Stream.concat(Stream.of(result), type.parameterList().subList(0, index).stream())
                .toList());
    MethodHandle pick =
        MethodHandles.dropArguments(
            MethodHandles.identity(result), 1, type.parameterList().subList(0, index + 1));
    MethodHandle fetched = MethodHandles.foldArguments(pick, fetch);
    return MethodHandles.foldArguments(
        MethodHandles.dropArguments(
            fetched, index + 2, type.parameterList().subList(index + 1, type.parameterCount())),
        called);
  }
}
