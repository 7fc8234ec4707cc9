// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jhal.HalException;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.dialect.Dialect;
import org.jhal.kernels.source.CompilerOptions;
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
  /** The name of this compiler in the options of a manifest. */
  public static final String NAME = "vulkan";

  /** What a key is about. */
  private static final String FORMAT = "vulkan-spirv of a source, format 2";

  private final SourceCompiler compiler;
  private volatile @Nullable List<String> identity; // found out when it is first needed

  private SpirvCompiler(SourceCompiler compiler) {
    this.compiler = compiler;
  }

  /**
   * Finds Clang and LLVM: those that are named, else those in a jar {@code org.bytedeco:llvm} for
   * this platform on the class path, which are unpacked into a folder {@code jhal-llvm} beside that
   * of the kernel cache, else those in PATH.
   *
   * @param compiler the file of a Clang beside which there is an llc that has the target spirv64,
   *     or its name in a folder of PATH; "none" for no compiler; empty to search
   * @throws HalException INVALID_ARGUMENT if the named one cannot be executed or has no llc;
   *     UNIMPLEMENTED if none is found; PERMISSION_DENIED if other users could have written the
   *     unpacked programs; RESOURCE_EXHAUSTED if space is missing for them
   */
  public static SpirvCompiler find(String compiler) {
    return new SpirvCompiler(
        new SourceCompiler(LlvmTools.find(Objects.requireNonNull(compiler, "compiler"))));
  }

  /**
   * The options of a variant for this compiler. Those for optimization are left out: Vulkan's
   * driver optimizes.
   *
   * @param what is being compiled, for people
   * @throws HalException INVALID_ARGUMENT if one is about more than the language and arithmetic, or
   *     contradicts portable arithmetic
   */
  public static List<String> options(Variant variant, String what) {
    List<String> options = variant.options(NAME, SourceCompiler.UNFUSED);
    CompilerOptions.check(options, "Vulkan devices", what);
    return options.stream().filter(option -> !option.startsWith("-O")).toList();
  }

  /**
   * What the code of a source depends on; null if on more than the source, the options, the
   * compiler and this library, or if this library is not in a jar, so that its state is unknown.
   *
   * @param options as {@link #options} returns them
   * @param entries the entry points that the module is to have
   */
  public @Nullable KernelKey key(SourceCode source, List<String> options, EntryPoints entries) {
    String translator = OwnJar.state();
    if (translator == null) {
      return null;
    }
    List<String> known = identity;
    if (known == null) {
      known = compiler.identity();
      identity = known;
    }
    return key(source, options, entries.expressions(), translator, known);
  }

  static @Nullable KernelKey key(
      SourceCode source,
      List<String> options,
      List<String> expressions,
      String translator,
      List<String> compiler) {
    SourceCode whole = source.with(Dialect.stubs());
    if (!whole.isSelfContained(options)) {
      return null;
    }
    List<String> texts = new ArrayList<>(List.of(FORMAT, translator, source.text(), source.name()));
    texts.add(whole.headers().size() + " headers");
    for (Map.Entry<String, String> header : new TreeMap<>(whole.headers()).entrySet()) {
      texts.add(header.getKey());
      texts.add(header.getValue());
    }
    texts.add(options.size() + " options");
    texts.addAll(options);
    texts.add(expressions.size() + " expressions");
    texts.addAll(expressions);
    texts.addAll(compiler);
    return KernelKey.of(texts);
  }

  /**
   * Compiles a source.
   *
   * @param source the source with its include files
   * @param options as {@link #options} returns them
   * @param entries the entry points that the module is to have
   * @param what is being compiled, for people
   * @return a module of SPIR-V 1.5 with an entry point for each kernel
   * @throws HalException INVALID_ARGUMENT with the compiler's messages if the source is wrong;
   *     UNIMPLEMENTED if LLVM lacks something for this target; RESOURCE_EXHAUSTED if memory or
   *     space are missing; DEADLINE_EXCEEDED if it takes minutes
   */
  public byte[] compile(SourceCode source, List<String> options, EntryPoints entries, String what) {
    return SpirvTranslator.translate(
        compiler.compile(
            source.with(Dialect.stubs()), List.copyOf(options), entries.expressions(), what));
  }

  /** The file of Clang. */
  @Override
  public String toString() {
    return compiler.toString();
  }
}
