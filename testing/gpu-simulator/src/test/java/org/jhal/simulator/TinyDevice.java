// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** The tiny face and its compiler, with the calls that tests need. */
final class TinyDevice {
  static final List<String> FACE = List.of("tiny_face.c");

  final Simulator simulator;
  private final NativeLibrary driver;
  private final NativeLibrary compiler;
  private long stream;

  TinyDevice() {
    SimulatedLibrary library =
        SimulatedLibrary.driver("libtiny.so", TinyDevice.class, FACE, List.of());
    SimulatedLibrary compiling =
        SimulatedLibrary.compiler("libtinyc.so", TinyDevice.class, List.of("tiny_compiler.c"));
    for (SimulatedLibrary each : List.of(library, compiling)) {
      assumeTrue(each.unavailable().isEmpty(), () -> each.unavailable().get());
    }
    driver = NativeLibrary.getInstance(library.path().toString());
    compiler = NativeLibrary.getInstance(compiling.path().toString());
    simulator = Simulator.in(library.path());
  }

  void open() {
    simulator.reset();
    stream = make("tinyOpen");
  }

  int code(String function, Object... arguments) {
    return driver.getFunction(function).invokeInt(arguments);
  }

  long make(String function, Object... arguments) {
    long[] result = new long[1];
    Object[] all = new Object[arguments.length + 1];
    all[0] = result;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    assertEquals(0, code(function, all), function);
    return result[0];
  }

  /** Device memory with these values. */
  long ints(int... values) {
    long address = make("tinyAlloc", 4L * values.length);
    assertEquals(0, code("tinyWrite", address, values, 4L * values.length));
    return address;
  }

  int[] read(long address, int count) {
    int[] values = new int[count];
    assertEquals(0, code("tinyRead", values, address, 4L * count));
    return values;
  }

  byte[] compile(String source) {
    Memory image = new Memory(1 << 20);
    Memory log = new Memory(1 << 16);
    long[] size = {image.size()};
    Object[] arguments = {source, image, size, log, log.size()};
    int code = compiler.getFunction("tinyCompile").invokeInt(arguments);
    assertEquals(0, code, () -> log.getString(0, StandardCharsets.UTF_8.name()));
    return image.getByteArray(0, (int) size[0]);
  }

  long function(byte[] image, String name) {
    Memory memory = new Memory(image.length);
    memory.write(0, image, 0, image.length);
    return make("tinyFunction", memory, name);
  }

  /**
   * Compiles, launches with arguments (Integer or Long) and waits; returns the code of the wait.
   */
  int run(String source, String name, int[] grid, int[] block, int shared, Object... arguments) {
    int[] shape = Arrays.copyOf(grid, 6);
    System.arraycopy(block, 0, shape, 3, 3);
    ByteBuffer packed = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder());
    for (Object argument : arguments) {
      if (argument instanceof Integer value) {
        packed.putInt(value);
      } else {
        packed.position((packed.position() + 7) / 8 * 8).putLong((Long) argument);
      }
    }
    long size = packed.position();
    long function = function(compile(source), name);
    assertEquals(0, code("tinyLaunch", function, shape, shared, stream, packed.clear(), size));
    return code("tinySync", stream);
  }
}
