// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.bench.measure.NotAvailableException;

/** Finds a compiler for C programs that include {@code cuda.h}. */
public final class CudaCompiler {
  private static final String DEFAULT_HOME = "/usr/local/cuda";

  private CudaCompiler() {}

  /**
   * The compiler and its options, without the files: {@code nvcc}, or else {@code gcc} with the
   * header of the toolkit.
   *
   * @param environment with {@code PATH}, and {@code CUDA_HOME} if the toolkit is not in
   *     /usr/local/cuda
   * @throws NotAvailableException if there is none
   */
  public static List<String> find(Map<String, String> environment) throws NotAvailableException {
    String path = environment.getOrDefault("PATH", "");
    Path home = Path.of(environment.getOrDefault("CUDA_HOME", DEFAULT_HOME));
    Path nvcc = NativeBuild.executable("nvcc", path);
    if (nvcc == null && Files.isExecutable(home.resolve("bin/nvcc"))) {
      nvcc = home.resolve("bin/nvcc");
    }
    if (nvcc != null) {
      return List.of(nvcc.toString(), "-O2");
    }
    Path gcc = NativeBuild.executable("gcc", path);
    Path include = home.resolve("include");
    if (gcc != null && Files.exists(include.resolve("cuda.h"))) {
      return List.of(gcc.toString(), "-O2", "-I" + include);
    }
    throw new NotAvailableException(
        "it cannot be compiled: no nvcc on the PATH or in "
            + home.resolve("bin")
            + ", and "
            + (gcc == null ? "no gcc on the PATH" : "no cuda.h in " + include)
            + "; CUDA_HOME says where the toolkit is");
  }

  /** The command that compiles {@code sources} to {@code program}. */
  static List<String> command(List<String> compiler, List<Path> sources, Path program) {
    List<String> command = new ArrayList<>(compiler);
    command.addAll(List.of("-o", program.toString()));
    sources.forEach(source -> command.add(source.toString()));
    command.addAll(List.of("-ldl", "-lpthread"));
    return command;
  }
}
