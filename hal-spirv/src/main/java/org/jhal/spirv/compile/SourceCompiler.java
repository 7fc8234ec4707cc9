// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SourceCode;

/** Compiles kernels in C++ into the SPIR-V of OpenCL. Thread-safe. */
public final class SourceCompiler {
  /**
   * Arithmetic as it is written, and functions of C as calls, since the dialect has its own.
   * Functions are inlined, because what is not may keep pointers in memory.
   */
  private static final List<String> OPTIONS =
      List.of(
          "-x",
          "hip",
          "--cuda-device-only",
          "--offload=spirv64",
          "-nogpulib",
          "-nogpuinc",
          "-nostdinc",
          "-fdeclspec",
          "-std=c++17",
          "-O1",
          "-mllvm",
          "-inline-threshold=1000",
          // Else loops get counters and sums in closed form, and a switch a table, of as many bits
          // as these need, and llc computes with more (findings/llvm-spirv-odd-integers.sh).
          "-fno-jump-tables",
          "-mllvm",
          "-replexitval=never",
          "-mllvm",
          "-disable-lftr",
          "-fwrapv",
          "-fmath-errno",
          "-U__HIP__",
          "-U__HIPCC__",
          "-U__SIZEOF_INT128__", // of the host
          "-Werror=implicit-function-declaration");

  /** Behind the user's options: the target has no fused products but {@code fma}. */
  public static final String UNFUSED = "-ffp-contract=off";

  /** The target has pointers to functions by an extension, which the translator knows. */
  private static final String FUNCTION_POINTERS = "--spirv-ext=+SPV_INTEL_function_pointers";

  private static final String SOURCE = "source.hip";

  private final LlvmTools tools;

  /** A compiler that consists of these programs. */
  public SourceCompiler(LlvmTools tools) {
    this.tools = tools;
  }

  /** The name in the code of the entry point with this number among the expressions. */
  public static String nameOf(int expression) {
    return LlvmText.KERNEL + expression;
  }

  /** What code depends on beside the source and the user's options. */
  public List<String> identity() {
    List<String> parts = new ArrayList<>(tools.identity());
    parts.addAll(OPTIONS);
    parts.add(UNFUSED);
    parts.add(FUNCTION_POINTERS);
    List<String> headers = new ArrayList<>();
    VulkanDialect.headers().forEach((name, text) -> headers.addAll(List.of(name, text)));
    parts.add(KernelKey.of(headers).toString()); // a digest, which is shorter
    return parts;
  }

  /**
   * Compiles a source.
   *
   * @param expressions entry points that are no symbols; the code has them as {@link #nameOf}
   * @param what is being compiled, for people
   * @throws HalException INVALID_ARGUMENT with the compiler's messages if the source is wrong;
   *     UNIMPLEMENTED if LLVM cannot translate something in it; RESOURCE_EXHAUSTED if memory or
   *     space are missing; DEADLINE_EXCEEDED if it takes minutes
   */
  public byte[] compile(
      SourceCode source, List<String> options, List<String> expressions, String what) {
    try (ToolRun run = new ToolRun(tools)) {
      for (Map.Entry<String, String> header : VulkanDialect.headers().entrySet()) {
        run.write("dialect/" + header.getKey(), header.getValue());
      }
      for (Map.Entry<String, String> header : source.headers().entrySet()) {
        run.write("bundle/" + header.getKey(), header.getValue());
      }
      run.write(
          SOURCE,
          SourceCode.lineOne(source.name()) + source.text() + LlvmText.references(expressions));
      return compile(run, source, options, expressions.size(), what);
    } catch (IOException e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "cannot keep the files of a compiler in "
              + System.getProperty("java.io.tmpdir")
              + ", or start it: "
              + e,
          e);
    }
  }

  private byte[] compile(
      ToolRun run, SourceCode source, List<String> options, int expressions, String what)
      throws IOException {
    List<String> clang = new ArrayList<>();
    clang.add(tools.clang().toString());
    clang.addAll(OPTIONS);
    clang.addAll(List.of("-Ibundle", "-Idialect", "-include", "dialect/" + VulkanDialect.FIRST));
    clang.addAll(options);
    clang.addAll(List.of(UNFUSED, "-S", "-emit-llvm", SOURCE, "-o", "code.ll"));
    try {
      run.run(clang, Status.INVALID_ARGUMENT, what);
    } catch (HalException e) {
      throw e.status() == Status.INVALID_ARGUMENT
          ? new HalException(e.status(), source.withHint(String.valueOf(e.getMessage())), e)
          : e;
    }
    Path text = run.folder().resolve("code.ll");
    String code = Files.readString(text);
    LlvmText.checkIntegers(code, what);
    Files.writeString(text, LlvmText.replaced(code, expressions));
    run.run(
        List.of(
            tools.llc().toString(),
            "-O0",
            "-mtriple=spirv64-unknown-unknown",
            "-filetype=obj",
            FUNCTION_POINTERS,
            "code.ll",
            "-o",
            "code.spv"),
        Status.UNIMPLEMENTED,
        what);
    return Files.readAllBytes(run.folder().resolve("code.spv"));
  }

  @Override
  public String toString() {
    return tools.clang().toString();
  }
}
