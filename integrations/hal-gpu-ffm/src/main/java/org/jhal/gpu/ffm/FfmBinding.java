// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.NativeBinding;
import org.jspecify.annotations.Nullable;

/** The binding through Java's Foreign Function and Memory API. */
public final class FfmBinding implements NativeBinding {
  /** For the service loader. */
  public FfmBinding() {}

  /** Without the permission, the JVM prints a warning at the first function that is bound. */
  @Override
  public @Nullable String obstacle() {
    Module own = FfmBinding.class.getModule();
    if (!own.isNativeAccessEnabled()) {
      return "Java runs without --enable-native-access="
          + (own.isNamed() ? own.getName() : "ALL-UNNAMED");
    }
    try {
      Linker unused = Linker.nativeLinker();
      return null;
    } catch (UnsupportedOperationException e) {
      return "this Java cannot call native functions: " + e.getMessage();
    }
  }

  @Override
  public <T> T bind(MethodHandles.Lookup lookup, Class<T> table, ToLongFunction<String> addresses) {
    List<Method> methods =
        Stream.of(table.getMethods())
            .filter(method -> Modifier.isAbstract(method.getModifiers()))
            .toList();
    List<MethodHandle> functions = new ArrayList<>();
    try {
      for (Method method : methods) {
        functions.add(Downcall.of(method, addresses.applyAsLong(method.getName())));
      }
    } catch (IllegalCallerException e) {
      throw new HalException(
          Status.UNAVAILABLE, "Java refuses to call native functions: " + e.getMessage(), e);
    } catch (UnsupportedOperationException e) {
      throw new HalException(
          Status.UNAVAILABLE, "this Java cannot call native functions: " + e.getMessage(), e);
    }
    return TableClass.implement(lookup, table, methods, functions);
  }
}
