// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.KernelModule;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;

/** Kernels in the format "tiny": a file that names a class, whose static methods they are. */
final class TinyModule implements KernelModule {
  static final String FORMAT = "tiny";

  private final List<MethodHandle> kernels;

  private TinyModule(List<MethodHandle> kernels) {
    this.kernels = kernels;
  }

  static TinyModule load(ExecutableSource source, Variant variant, List<KernelSpec> specs) {
    String className = new String(variant.readFile(source), StandardCharsets.UTF_8).strip();
    List<MethodHandle> kernels = new ArrayList<>();
    try {
      Class<?> type = Class.forName(className, true, source.classLoader());
      for (KernelSpec spec : specs) {
        kernels.add(
            MethodHandles.publicLookup()
                .findStatic(
                    type,
                    variant.entry(spec.name()),
                    MethodType.methodType(void.class, TinyGroup.class)));
      }
    } catch (ReflectiveOperationException e) {
      throw new HalException(
          Status.NOT_FOUND, "bundle " + source.name() + ": class " + className + ": " + e, e);
    }
    return new TinyModule(kernels);
  }

  /** Runs a grid, one workgroup after the other. */
  void run(Command command, ByteBuffer[] buffers) throws Throwable {
    MethodHandle kernel = kernels.get(command.kernel().index());
    ByteBuffer constants = command.bytes();
    long index = 0;
    for (int z = 0; z < command.groupsZ(); z++) {
      for (int y = 0; y < command.groupsY(); y++) {
        for (int x = 0; x < command.groupsX(); x++) {
          kernel.invokeExact(
              new TinyGroup(x, y, z, index++, buffers, constants, command.kernel().layout()));
        }
      }
    }
  }

  @Override
  public void unload() {}
}
