// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.cpu.translate.Level;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.SourceCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The storage that each thread of the process has for a library, whether or not it runs kernels.
 */
@NeedsCompiler
class ThreadStorageTest {
  private static final int PT_TLS = 7; // of ELF

  /** A work item with its place, and what is left for all others of its workgroup. */
  private static final long MOST = 1024;

  @ParameterizedTest
  @EnumSource(
      value = Level.class,
      names = {"COROUTINE", "FIBER"})
  void isSmallWhateverTheWorkgroupsSize(Level level) {
    ExecutableSource bundle =
        ExecutableSource.builder("one")
            .kernel("fill", Workgroups.of(1024), Parameter.out("data", ElementType.I32))
            .cpp(
                "extern \"C\" __global__ void fill(int* data) {\n"
                    + "int i = __shfl_sync(~0u, threadIdx.x, 3);\n__syncthreads();\n"
                    + "data[threadIdx.x] = i;\n}")
            .build();
    Manifest manifest = Manifest.read(bundle);
    Variant variant = manifest.variants().get(0);
    String file = String.valueOf(variant.file());
    SourceCode code = SourceCode.read(bundle, file, variant.readFile(bundle), "it");
    byte[] library =
        new SourceCompiler(HostCompiler.find().orElseThrow(), level, null)
            .compile(code, variant, manifest.kernels(), List.of(), "it");
    long size = threadStorage(library);
    assertTrue(size > 0 && size <= MOST, () -> level + " has " + size + " bytes");
  }

  /** The size of the segment that each thread gets a copy of, in bytes. */
  private static long threadStorage(byte[] library) {
    ByteBuffer elf = ByteBuffer.wrap(library).order(ByteOrder.LITTLE_ENDIAN);
    long size = 0;
    for (int i = 0; i < elf.getShort(0x38); i++) {
      int header = (int) elf.getLong(0x20) + i * elf.getShort(0x36);
      if (elf.getInt(header) == PT_TLS) {
        size += elf.getLong(header + 0x28);
      }
    }
    return size;
  }
}
