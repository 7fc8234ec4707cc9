// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.compile.CompileTarget;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Compiles kernels in C++ for all Vulkan devices, on machines that need no Clang then.
 *
 * <p>Thread-safe.
 */
public final class VulkanTarget implements CompileTarget {
  /** The label. */
  public static final String LABEL = "vulkan";

  /** The format of what is compiled; docs/vulkan.md describes it. */
  public static final String FORMAT = "vulkan-spirv";

  private final SpirvCompiler compiler;

  private VulkanTarget(SpirvCompiler compiler) {
    this.compiler = compiler;
  }

  /**
   * Finds the compiler, as {@link SpirvCompiler#find} does.
   *
   * @param compiler the one that is named; null if none is
   * @throws HalException FAILED_PRECONDITION if there is none
   */
  public static VulkanTarget find(@Nullable String compiler) {
    try {
      return new VulkanTarget(SpirvCompiler.find(Objects.requireNonNullElse(compiler, "")));
    } catch (HalException e) {
      throw e.status() == Status.UNIMPLEMENTED
          ? new HalException(Status.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e)
          : e;
    }
  }

  @Override
  public String label() {
    return LABEL;
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public @Nullable String architecture() {
    return null;
  }

  @Override
  public String suffix() {
    return "spv";
  }

  @Override
  public Map<String, String> entries(Variant variant, List<KernelSpec> kernels) {
    return EntryPoints.of(variant, kernels).names();
  }

  @Override
  public byte[] compile(
      SourceCode source,
      Variant variant,
      List<KernelSpec> kernels,
      List<Global> globals,
      String what) {
    return compiler.compile(
        source, SpirvCompiler.options(variant, what), EntryPoints.of(variant, kernels), what);
  }
}
