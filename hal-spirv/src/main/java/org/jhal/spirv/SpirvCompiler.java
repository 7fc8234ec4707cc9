// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SourceCode;
import org.jhal.spirv.compile.LlvmTools;
import org.jhal.spirv.compile.SourceCompiler;
import org.jspecify.annotations.Nullable;

/**
 * Compiles kernels in C++, the format {@code gpu-c++}, into the format {@code vulkan-spirv}: Clang
 * and LLVM make the SPIR-V of OpenCL, which {@link SpirvTranslator} translates.
 *
 * <p>Thread-safe. Each call runs programs of its own, and takes tenths of a second or more.
 */
public final class SpirvCompiler {
  /** Raised when the same source would give other code. */
  private static final String FORMAT = "vulkan-spirv of a source, format 1";

  private final SourceCompiler compiler;
  private final List<String> identity;

  private SpirvCompiler(SourceCompiler compiler) {
    this.compiler = compiler;
    this.identity = compiler.identity();
  }

  /**
   * Finds Clang and LLVM: those that are named, else those in a jar {@code org.bytedeco:llvm} for
   * this platform on the class path, which are unpacked into a folder {@code jhal-llvm} beside that
   * of the kernel cache, else those in PATH.
   *
   * @param clang the path of a Clang beside which there is an llc that has the target spirv64; null
   *     or empty if none is named
   * @throws HalException NOT_FOUND if the named ones do not exist; UNIMPLEMENTED if none is found;
   *     RESOURCE_EXHAUSTED if the jar cannot be unpacked
   */
  public static SpirvCompiler find(@Nullable String clang) {
    return new SpirvCompiler(new SourceCompiler(LlvmTools.find(clang)));
  }

  /**
   * Compiles a source, unless the cache has its code.
   *
   * @param source the source with its include files
   * @param options further options for Clang
   * @param cache where code is kept, if it depends on the source, the options and the compiler
   *     alone; null if nowhere
   * @return a module of SPIR-V 1.5 with an entry point for each kernel
   * @throws HalException INVALID_ARGUMENT with the compiler's messages if the source is wrong;
   *     UNIMPLEMENTED if a kernel has something that Vulkan lacks or that is not translated, which
   *     the message names; RESOURCE_EXHAUSTED if memory or space are missing; DEADLINE_EXCEEDED if
   *     it takes minutes
   */
  public byte[] compile(SourceCode source, List<String> options, @Nullable KernelCache cache) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(options, "options");
    if (cache == null || !source.isSelfContained(options)) {
      return SpirvTranslator.translate(compiler.compile(source, options));
    }
    List<String> texts = new ArrayList<>(List.of(FORMAT, source.text(), source.name()));
    new TreeMap<>(source.headers())
        .forEach(
            (name, text) -> {
              texts.add(name);
              texts.add(text);
            });
    texts.addAll(options);
    texts.addAll(identity);
    KernelKey key = KernelKey.of(texts);
    byte[] kept = cache.find(key);
    if (kept != null) {
      return kept;
    }
    byte[] code = SpirvTranslator.translate(compiler.compile(source, options));
    cache.keep(key, source.name() + " for Vulkan", code);
    return code;
  }
}
