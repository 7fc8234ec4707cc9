// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.compile;

import java.util.List;
import java.util.Map;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/** Devices that kernels in C++ are compiled for. Used by one thread. */
public interface CompileTarget {
  /** The name, such as {@code x86_64-v3}. */
  String label();

  /** The format of the code. */
  String format();

  /** The architecture as a manifest names it; null if the format has one kind of code. */
  @Nullable String architecture();

  /** What the name of a file with the code ends with, without the dot. */
  String suffix();

  /** The entry points in the code, by kernel, where they are not named as the kernels are. */
  Map<String, String> entries(Variant variant, List<KernelSpec> kernels);

  /**
   * Compiles kernels.
   *
   * @param variant whose source it is
   * @param globals the variables that the host is to access
   * @param what is being compiled, for people
   * @throws HalException INVALID_ARGUMENT if the source is wrong; otherwise the failure of the
   *     compiler
   */
  byte[] compile(
      SourceCode source,
      Variant variant,
      List<KernelSpec> kernels,
      List<Global> globals,
      String what);
}
