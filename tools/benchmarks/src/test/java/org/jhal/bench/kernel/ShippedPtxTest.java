// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompileResult;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shipped PTX, compiled to machine code with the compiler that JCuda contains. */
class ShippedPtxTest {
  private static String ptx() {
    return new String(Touch.file("touch.ptx"), StandardCharsets.UTF_8);
  }

  /**
   * JCuda unpacks to a fixed name in the temporary folder, which another process may use as well.
   */
  @BeforeAll
  static void load(@TempDir Path folder) {
    String before = System.getProperty("java.io.tmpdir");
    System.setProperty("java.io.tmpdir", folder.toString());
    try {
      JNvPTXCompiler.setExceptionsEnabled(false);
    } catch (LinkageError e) {
      assumeTrue(false, "JCuda has no PTX compiler for this machine: " + e);
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }
  }

  /** The compiler's verdict. */
  private static int compile(String code, String architecture) {
    nvPTXCompilerHandle handle = new nvPTXCompilerHandle();
    byte[] bytes = (code + "\0").getBytes(StandardCharsets.UTF_8);
    assertEquals(
        nvPTXCompileResult.NVPTXCOMPILE_SUCCESS,
        JNvPTXCompiler.nvPTXCompilerCreate(handle, bytes.length, bytes));
    try {
      int result =
          JNvPTXCompiler.nvPTXCompilerCompile(
              handle, 1, new String[] {"--gpu-name=" + architecture});
      long[] size = new long[1];
      if (result == nvPTXCompileResult.NVPTXCOMPILE_SUCCESS) {
        assertEquals(result, JNvPTXCompiler.nvPTXCompilerGetCompiledProgramSize(handle, size));
        assertTrue(size[0] > 0, "bytes of machine code");
      }
      return result;
    } finally {
      JNvPTXCompiler.nvPTXCompilerDestroy(handle);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"})
  void ptxCompilesForEachArchitecture(String architecture) {
    assertEquals(nvPTXCompileResult.NVPTXCOMPILE_SUCCESS, compile(ptx(), architecture));
  }

  @Test
  void brokenPtxDoesNotCompile() {
    assertNotEquals(
        nvPTXCompileResult.NVPTXCOMPILE_SUCCESS, compile(ptx().replace("st.", "store."), "sm_90"));
  }
}
