// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.kernel.BFloat16s;
import org.jhal.kernel.Bytes;
import org.jhal.kernel.Doubles;
import org.jhal.kernel.Float16s;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Ints;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.KernelStruct;
import org.jhal.kernel.Longs;
import org.jhal.kernel.Shorts;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/**
 * Java methods that take a kernel's parameters after the workgroup: {@code saxpy(Workgroup group,
 * long n, float a, Floats x, Floats y)}.
 */
final class TypedKernel {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private TypedKernel() {}

  /**
   * Adapts a method to the type {@code (Workgroup)void}.
   *
   * @param where the class, for people
   * @throws HalException INVALID_ARGUMENT if the method's parameters are not those of the kernel
   */
  static MethodHandle adapt(MethodHandle handle, Method method, KernelSpec kernel, String where) {
    List<Parameter> parameters = kernel.parameters();
    Class<?>[] types = method.getParameterTypes();
    if (types.length - 1 != parameters.size()) {
      throw mismatch(
          where,
          method,
          "has %s parameter%s after the workgroup; the kernel has %s: %s"
              .formatted(
                  types.length - 1,
                  types.length == 2 ? "" : "s",
                  parameters.size(),
                  names(parameters)));
    }
    MethodHandle[] getters = new MethodHandle[parameters.size()];
    for (int i = 0; i < getters.length; i++) {
      Parameter parameter = parameters.get(i);
      checkName(where, method, i, parameters);
      MethodHandle getter = getter(parameter, types[i + 1]);
      if (getter == null) {
        throw mismatch(
            where,
            method,
            "takes %s for parameter %s, '%s', which is a %s of %s; it may be %s"
                .formatted(
                    withArticle(types[i + 1].getSimpleName()),
                    i,
                    parameter.name(),
                    parameter.kind().name().toLowerCase(Locale.ROOT),
                    parameter.typeName(),
                    legal(parameter)));
      }
      getters[i] = MethodHandles.insertArguments(getter, 1, i);
    }
    MethodHandle filtered = MethodHandles.filterArguments(handle, 1, getters);
    return MethodHandles.permuteArguments(
        filtered,
        MethodType.methodType(void.class, Workgroup.class),
        new int[filtered.type().parameterCount()]);
  }

  private static String withArticle(String noun) {
    return ("aeiouAEIOU".indexOf(noun.charAt(0)) >= 0 ? "an " : "a ") + noun;
  }

  /** Detects swapped parameters if the class file has their names. */
  private static void checkName(
      String where, Method method, int index, List<Parameter> parameters) {
    java.lang.reflect.Parameter declared = method.getParameters()[index + 1];
    String name = declared.getName();
    if (declared.isNamePresent()
        && !name.equals(parameters.get(index).name())
        && parameters.stream().anyMatch(parameter -> parameter.name().equals(name))) {
      throw mismatch(
          where,
          method,
          "takes '" + name + "' as parameter " + index + "; the kernel takes " + names(parameters));
    }
  }

  private static List<String> names(List<Parameter> parameters) {
    return parameters.stream().map(Parameter::name).toList();
  }

  private static HalException mismatch(String where, Method method, String what) {
    return new HalException(Status.INVALID_ARGUMENT, where + ": " + describe(method) + " " + what);
  }

  static String describe(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(", ", method.getName() + "(", ")"));
  }

  /** All types that a parameter may have, the most usual first. */
  private static final List<Class<?>> TYPES =
      List.of(
          int.class,
          long.class,
          float.class,
          double.class,
          Bytes.class,
          Shorts.class,
          Ints.class,
          Longs.class,
          Float16s.class,
          BFloat16s.class,
          Floats.class,
          Doubles.class,
          KernelMemory.class,
          KernelStruct.class);

  private static String legal(Parameter parameter) {
    return TYPES.stream()
        .filter(type -> getter(parameter, type) != null)
        .map(Class::getSimpleName)
        .collect(Collectors.joining(" or "));
  }

  /** A handle of type {@code (Workgroup,int)TYPE}; null if the parameter cannot have the type. */
  private static @Nullable MethodHandle getter(Parameter parameter, Class<?> type) {
    return switch (parameter.kind()) {
      case BUFFER -> buffer(parameter.type(), type);
      case CONSTANT -> constant(parameter.type(), type);
      case STRUCT -> type == KernelStruct.class ? find(Workgroup.class, "struct", type) : null;
    };
  }

  private static @Nullable MethodHandle constant(ElementType element, Class<?> type) {
    boolean isFloat =
        element == ElementType.F32 || element == ElementType.F16 || element == ElementType.BF16;
    boolean isInteger = !isFloat && element != ElementType.F64;
    if (type == int.class) {
      return isInteger && element.bytes() <= 4 ? find(Workgroup.class, "i32", type) : null;
    } else if (type == long.class) {
      return isInteger ? find(Workgroup.class, "i64", type) : null;
    } else if (type == float.class) {
      return isFloat ? find(Workgroup.class, "f32", type) : null;
    } else if (type == double.class) {
      return isInteger ? null : find(Workgroup.class, "f64", type);
    }
    return null;
  }

  private static @Nullable MethodHandle buffer(ElementType element, Class<?> type) {
    MethodHandle memory = find(Workgroup.class, "memory", KernelMemory.class);
    if (type == KernelMemory.class) {
      return memory;
    }
    Class<?> view =
        switch (element) {
          case I8, U8 -> Bytes.class;
          case I16, U16 -> Shorts.class;
          case I32, U32 -> Ints.class;
          case I64, U64 -> Longs.class;
          case F16 -> Float16s.class;
          case BF16 -> BFloat16s.class;
          case F32 -> Floats.class;
          case F64 -> Doubles.class;
        };
    if (type != view) {
      return null;
    }
    String name = view.getSimpleName().toLowerCase(Locale.ROOT);
    return MethodHandles.filterReturnValue(memory, find(KernelMemory.class, name, view));
  }

  private static MethodHandle find(Class<?> owner, String name, Class<?> result) {
    MethodType type =
        owner == Workgroup.class
            ? MethodType.methodType(result, int.class)
            : MethodType.methodType(result);
    try {
      return LOOKUP.findVirtual(owner, name, type);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(owner + " has a method " + name, e);
    }
  }
}
