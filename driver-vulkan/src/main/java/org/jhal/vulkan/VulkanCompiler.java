// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.options.CacheOption;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.compile.KeptCode;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.source.SourceCode;
import org.jhal.spirv.EntryPoints;
import org.jhal.spirv.SpirvCompiler;
import org.jspecify.annotations.Nullable;

/**
 * Compiles kernels in C++ for Vulkan. The compiler is searched for when it is first needed.
 *
 * <p>Thread-safe.
 */
final class VulkanCompiler {
  static final Option<String> OPTION =
      Option.text(
          "compiler",
          "",
          "the Clang for kernels in C++, a file or a name on the PATH, or 'none'; searched for if"
              + " not given");

  private final String wanted;
  private final @Nullable KernelCache cache;
  private final Lazy<SpirvCompiler> found = Lazy.keepingFailure();

  private VulkanCompiler(String wanted, @Nullable KernelCache cache) {
    this.wanted = wanted;
    this.cache = cache;
  }

  /**
   * The compiler that the settings of a device select.
   *
   * @throws HalException INVALID_ARGUMENT if they name a file that is none
   */
  static VulkanCompiler of(Settings settings) {
    VulkanCompiler compiler = new VulkanCompiler(settings.get(OPTION), CacheOption.cache(settings));
    if (!compiler.wanted.isEmpty()) {
      String unused = compiler.absence();
    }
    return compiler;
  }

  /**
   * Why there is no compiler, or none that may be run; null if there is one.
   *
   * @throws HalException otherwise as {@link SpirvCompiler#find}
   */
  @Nullable String absence() {
    try {
      SpirvCompiler unused = find();
      return null;
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED && e.status() != Status.PERMISSION_DENIED) {
        throw e;
      }
      return e.getMessage();
    }
  }

  /**
   * The compiler.
   *
   * @throws HalException as {@link SpirvCompiler#find}
   */
  private SpirvCompiler find() {
    return found.get(() -> SpirvCompiler.find(wanted));
  }

  /**
   * Compiles the kernels of a variant in the format gpu-c++.
   *
   * @param entries the entry points of the variant
   * @return a module in the format vulkan-spirv, with the names of {@code entries}
   * @throws HalException UNIMPLEMENTED if there is no compiler, or something in the source is not
   *     translated; INVALID_ARGUMENT if the source or an option is wrong; otherwise as {@link
   *     SpirvCompiler#compile}
   */
  byte[] compile(ExecutableSource source, Variant variant, EntryPoints entries) {
    String what = variant.file() + " of bundle " + source.name();
    List<String> options = SpirvCompiler.options(variant, what);
    SourceCode code =
        SourceCode.read(source, String.valueOf(variant.file()), variant.readFile(source), what);
    SpirvCompiler compiler = find();
    return KeptCode.get(
        cache,
        compiler.key(code, options, entries),
        what,
        () -> compiler.compile(code, options, entries, what));
  }
}
