// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.util.Objects;
import org.jhal.HalException;
import org.jhal.spirv.module.ModuleReader;
import org.jhal.spirv.translate.Translation;

/**
 * Translates kernels in the SPIR-V of OpenCL, as LLVM's target {@code spirv64} makes it, into the
 * format {@code vulkan-spirv}: a module for Vulkan 1.2, which docs/vulkan.md describes.
 *
 * <p>Thread-safe.
 */
public final class SpirvTranslator {
  private SpirvTranslator() {}

  /**
   * Translates a module with all its kernels.
   *
   * @param kernels a module of SPIR-V 1.0 to 1.6 with the capability Kernel, at most 256 MiB
   * @return a module of SPIR-V 1.5, little-endian
   * @throws HalException INVALID_ARGUMENT if {@code kernels} is no such module, with the offset of
   *     the word that is wrong; UNIMPLEMENTED if a kernel has something that Vulkan lacks or that
   *     is not translated, with the name of both
   */
  public static byte[] translate(byte[] kernels) {
    return Translation.translate(ModuleReader.read(Objects.requireNonNull(kernels, "kernels")));
  }
}
