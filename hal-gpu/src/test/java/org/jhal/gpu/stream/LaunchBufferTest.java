// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Pointer;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.kernels.bundle.ArgumentLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of arguments that a launch reads from native memory. */
class LaunchBufferTest {
  private static final long END = 0x1234_5678L;

  private record Buffer(long address, long offset) implements Operand {}

  private final LaunchBuffer launch = new LaunchBuffer(END);

  private static <T> T fake(Class<T> type, Map<String, Function<Object[], Object>> results) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              Function<Object[], Object> result = results.get(method.getName());
              if (result == null) {
                throw new AssertionError("an unexpected call of " + method);
              }
              return result.apply(arguments);
            }));
  }

  private static final Submission SUBMISSION =
      fake(
          Submission.class,
          Map.of(
              "memory",
              of -> fake(GpuMemory.class, Map.of("address", none -> ((Buffer) of[0]).address())),
              "offset",
              of -> ((Buffer) of[0]).offset()));

  private static Command dispatch(List<Parameter> parameters, byte[] values) {
    LoadedKernel kernel =
        fake(
            LoadedKernel.class,
            Map.of(
                "layout", none -> ArgumentLayout.of(parameters),
                "parameterCount", none -> parameters.size(),
                "parameter", of -> parameters.get((Integer) of[0])));
    return fake(
        Command.class,
        Map.of(
            "kernel", none -> kernel,
            "array", none -> values,
            "argument", of -> new Buffer(1000L * ((Integer) of[0] + 1), 7)));
  }

  /** From few parameters to more than the usual memory holds, and back. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 511, 512, 513, 4000})
  void aLaunchReadsTheArgumentsOfItsDispatch(int count) {
    for (int each : new int[] {3, count, 2, count + 1}) {
      List<Parameter> parameters = new ArrayList<>();
      for (int i = 0; i < each; i++) {
        parameters.add(
            i % 3 == 0
                ? Parameter.in("p" + i, ElementType.F32)
                : Parameter.constant("p" + i, i % 3 == 1 ? ElementType.U8 : ElementType.F64));
      }
      ArgumentLayout layout = ArgumentLayout.of(parameters);
      byte[] values = new byte[layout.size()];
      new Random(each).nextBytes(values);
      launch.set(dispatch(parameters, values), SUBMISSION);
      Pointer list = new Pointer(launch.list());
      assertEquals(1, list.getLong(0), "the pointer of the block");
      assertEquals(2, list.getLong(16), "the size of the block");
      assertEquals(END, list.getLong(32));
      assertEquals(layout.size(), new Pointer(list.getLong(24)).getLong(0));
      Pointer block = new Pointer(list.getLong(8));
      assertEquals(0, Pointer.nativeValue(block) % 16, "alignment of the arguments");
      for (int i = 0; i < each; i++) {
        int at = layout.offset(i);
        if (i % 3 == 0) {
          assertEquals(1000L * (i + 1) + 7, block.getLong(at), "address of parameter " + i);
        } else {
          int bytes = i % 3 == 1 ? 1 : 8;
          byte[] expected = Arrays.copyOfRange(values, at, at + bytes);
          assertArrayEquals(expected, block.getByteArray(at, bytes), "parameter " + i);
        }
      }
    }
  }
}
