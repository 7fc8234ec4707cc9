// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.kernel.JavaKernel;
import org.jhal.kernel.KernelMemory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Kernels in Java on the CPU device. */
@Timeout(60)
@NeedsCompiler
class JavaKernelsTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String CPP =
      "extern \"C\" __global__ void set(int* x) { x[blockIdx.x] = 2; }";

  private final AtomicReference<@Nullable KernelMemory> kept = new AtomicReference<>();

  private static ExecutableSource both(JavaKernel kernel) {
    return ExecutableSource.builder("both")
        .kernel("set", 1, Parameter.out("x", ElementType.I32))
        .java("set", kernel)
        .cpp(CPP)
        .build();
  }

  /** Sets the first element and keeps its view of the buffer. */
  private final JavaKernel setsOne =
      group -> {
        group.memory(0).putInt(4L * group.groupX(), 1);
        kept.set(group.memory(0));
      };

  /** Runs two workgroups on a new buffer of 16 bytes. Returns the second element. */
  private static int run(String uri, ExecutableSource source, String format) throws Exception {
    try (Device device = Hal.openDevice(uri);
        Executable kernels = device.loadExecutable(source);
        TimelineSemaphore done = device.createSemaphore();
        DeviceBuffer x = device.allocate(16, BufferParams.DEVICE)) {
      assertEquals(format, kernels.format());
      device
          .queue(0)
          .dispatch(Fence.NONE, done.at(1), kernels.kernel("set"), Workgroups.of(2), Args.of(x));
      ByteBuffer bytes = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
      device.queue(0).readback(done.at(1), done.at(2), x, 0, bytes);
      done.await(2, LIMIT);
      return bytes.getInt(4);
    }
  }

  @Test
  void compiledCodeComesBeforeJavaWhateverTheBundlesOrder() throws Exception {
    assertEquals(2, run("cpu", both(setsOne), "gpu-c++"));
  }

  @Test
  void javaServesWhereThereIsNoCompiler() throws Exception {
    assertEquals(1, run("cpu://?compiler=none", both(setsOne), "java"));
    KernelMemory view = Objects.requireNonNull(kept.get(), "the kernel has run");
    assertThrows(IllegalStateException.class, () -> view.getInt(0));
  }

  @Test
  void anAccessOutsideItsBufferFailsTheOperationAlone() throws Exception {
    ExecutableSource source = both(group -> group.memory(0).putInt(16, 1));
    HalException failure =
        assertThrows(HalException.class, () -> run("cpu://?compiler=none", source, "java"));
    assertEquals(Status.ABORTED, failure.status());
    assertTrue(
        failure.getMessage().contains("kernel set threw")
            && failure.getMessage().contains("access to x at element 4 of 4"),
        failure::getMessage);
  }

  /** The throwable's getMessage() itself throws. */
  @Test
  void aThrowableWithoutWordsFailsTheOperationAlone() throws Exception {
    class Mute extends RuntimeException {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new Mute();
      }
    }
    ExecutableSource source =
        both(
            group -> {
              throw new Mute();
            });
    HalException failure =
        assertThrows(HalException.class, () -> run("cpu://?compiler=none", source, "java"));
    assertEquals(Status.ABORTED, failure.status());
    assertTrue(failure.getMessage().contains("Mute"), failure::getMessage);
  }
}
