// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The vendors' libraries, by fakes that are compiled with gcc. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class VendorBlasTest {
  private static final String CUBLAS = "libcublas.so.13";
  private static final String HIPBLAS = "libhipblas.so.3";

  private static void compile(Path folder, String file, String name, int asItIs) throws Exception {
    Path source =
        Path.of(
            Objects.requireNonNull(VendorBlasTest.class.getResource("/fake-blas/blas.c")).toURI());
    Path log = folder.resolve("log");
    Process gcc =
        new ProcessBuilder(
                "gcc",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-shared",
                "-fPIC",
                "-Wl,-Bsymbolic", // both libraries have the same variable
                "-DNAME(function)=" + name,
                "-DAS_IT_IS=" + asItIs,
                "-o",
                folder.resolve(file).toString(),
                source.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertTrue(gcc.waitFor(60, TimeUnit.SECONDS), "gcc is not done with " + file + " after 60 s");
    assertEquals(0, gcc.exitValue(), Files.readString(log));
    NativeLibrary.addSearchPath(file, folder.toString());
  }

  private static void assumeGcc() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    assumeTrue(
        Stream.of(path.split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc"))),
        "the fake libraries are compiled with gcc, which is not on the PATH");
  }

  /** Both in one process: each has functions of its own. */
  @Test
  void multipliesThroughEachLibraryAndSetsAStreamOnce(@TempDir Path folder) throws Exception {
    assumeGcc();
    compile(folder, CUBLAS, "cublas##function##_v2", 0);
    compile(folder, HIPBLAS, "hipblas##function", 111);
    VendorBlas cuda = new VendorBlas(BlasLibrary.cublas());
    VendorBlas hip = new VendorBlas(BlasLibrary.hipblas());
    assertEquals("cublas", cuda.name());
    assertEquals("hipblas", hip.name());
    try (Device device = Hal.openDevice("mock")) {
      check(cuda, CUBLAS, device);
      check(hip, HIPBLAS, device);
    }
  }

  private static void check(VendorBlas blas, String file, Device device) throws IOException {
    float[] a = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    float[] b = {2, 0, 1, 1, 3, 0, 0, 5, 4};
    try (DeviceBuffer left = device.allocate(36, BufferParams.DEVICE);
        DeviceBuffer right = device.allocate(36, BufferParams.DEVICE);
        DeviceBuffer result = device.allocate(36, BufferParams.DEVICE);
        Memory memory = new Memory(3 * 36)) {
      memory.write(0, a, 0, 9);
      memory.write(36, b, 0, 9);
      long address = Pointer.nativeValue(memory);
      Map<DeviceBuffer, Long> addresses =
          Map.of(left, address, right, address + 36, result, address + 72);
      Pointer sets = NativeLibrary.getInstance(file).getGlobalVariableAddress("stream_sets");
      Lent first = new Lent(16, addresses);
      Lent second = new Lent(32, addresses);

      assertThrows(IllegalStateException.class, () -> blas.multiply(first, 3, left, right, result));
      for (int opened = 0; opened < 2; opened++) {
        blas.open();
        blas.multiply(first, 3, left, right, result);
        assertArrayEquals(HostBlas.multiply(3, a, b), memory.getFloatArray(72, 9));
        blas.multiply(first, 3, left, right, result);
        assertEquals(1, sets.getInt(0));
        blas.multiply(second, 3, left, right, result);
        blas.multiply(first, 3, left, right, result);
        assertEquals(3, sets.getInt(0));
        blas.close();
      }

      blas.open();
      HalException refused =
          assertThrows(
              HalException.class,
              () -> blas.multiply(new Lent(0, addresses), 3, left, right, result));
      assertEquals(Status.ABORTED, refused.status());
      assertEquals(blas.name() + "Sgemm returned status 7", refused.getMessage());
      blas.close();
    }
  }

  /** A stream and addresses without a device. */
  private record Lent(long stream, Map<DeviceBuffer, Long> addresses)
      implements ExternalWork.Context {
    @Override
    public DeviceQueue queue() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long address(DeviceBuffer buffer) {
      return Objects.requireNonNull(addresses.get(buffer));
    }

    @Override
    public ByteBuffer bytes(DeviceBuffer buffer) {
      throw new UnsupportedOperationException();
    }
  }
}
