// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.Architecture;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.KernelLibrary;
import org.jhal.cpu.compile.SourceCompiler;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.compile.BundleCompiler;
import org.jhal.kernels.compile.CompileTarget;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the kernels in C++ ({@code gpu-c++}) of a bundle for the device {@code cpu} of machines
 * that have no compiler, as variants in the format {@code cpu-so}; {@code hal compile} runs it.
 *
 * <p>Thread-safe.
 */
public final class CompileTool {
  private CompileTool() {}

  /**
   * What is compiled for which machines, and where it goes. Variants for the same architectures are
   * replaced, and all others are kept.
   *
   * @param bundle a folder, or a zip or jar file
   * @param overlay the folder that gets the variants as an overlay of the bundle, and is made if
   *     needed; null to add them to the bundle itself, which must be a folder
   * @param architectures what to compile for, of {@link #architectures}; empty for {@code
   *     x86_64-v3} on x86-64, and {@code aarch64} on 64-bit ARM
   * @param compiler a file, or a name on the {@code PATH}; null for {@code c++}, {@code g++} or
   *     {@code clang++}, and for another kind of processor than this machine's, such as {@code
   *     aarch64-linux-gnu-g++}
   */
  public record Options(
      Path bundle, @Nullable Path overlay, List<String> architectures, @Nullable String compiler) {
    /**
     * Checks the architectures.
     *
     * @throws HalException INVALID_ARGUMENT if one is unknown, or none is named, and there is no
     *     default for this processor
     */
    public Options {
      Objects.requireNonNull(bundle, "bundle");
      architectures = List.copyOf(architectures);
      known(architectures);
    }
  }

  /** Compiles for processors of one kind. */
  private record Target(Architecture processors, HostCompiler compiler) implements CompileTarget {
    @Override
    public String label() {
      return processors.label();
    }

    @Override
    public String format() {
      return KernelCompiler.LIBRARY;
    }

    @Override
    public String architecture() {
      return processors.label();
    }

    @Override
    public String suffix() {
      return processors.label() + ".so";
    }

    @Override
    public Map<String, String> entries(Variant variant, List<KernelSpec> kernels) {
      return Map.of(); // a library has them
    }

    @Override
    public byte[] compile(
        SourceCode source,
        Variant variant,
        List<KernelSpec> kernels,
        List<Global> globals,
        String what) {
      byte[] library =
          new SourceCompiler(compiler, null, processors)
              .compile(source, variant, kernels, globals, what);
      KernelLibrary.read(library, what); // a compiler for other processors is found now
      return library;
    }
  }

  /** The names of all architectures, the lowest level of each kind first. */
  public static List<String> architectures() {
    return Architecture.labels();
  }

  /**
   * Compiles the kernels. In case of a failure nothing is written.
   *
   * @param out gets one line for each variant
   * @param err gets a failure, as {@code hal: STATUS: message}, with what the compiler said in
   *     further lines
   * @return 0; 1 if compiling or writing failed; 2 if the bundle or its code is wrong, or the named
   *     compiler is none; 3 if there is no compiler for one of the architectures
   */
  public static int run(Options options, PrintWriter out, PrintWriter err) {
    return BundleCompiler.run(
        options.bundle(),
        options.overlay(),
        () -> targets(options.architectures(), options.compiler()),
        out,
        err);
  }

  /**
   * What compiles for these architectures.
   *
   * @param architectures as in {@link Options}
   * @param compiler as in {@link Options}
   * @throws HalException INVALID_ARGUMENT if an architecture is unknown or the compiler is none;
   *     FAILED_PRECONDITION if there is no compiler for one of them
   */
  public static List<CompileTarget> targets(List<String> architectures, @Nullable String compiler) {
    List<CompileTarget> targets = new ArrayList<>();
    for (Architecture architecture : known(architectures)) {
      targets.add(new Target(architecture, compiler(architecture, compiler)));
    }
    return targets;
  }

  /** What to compile for, the highest level first, since devices take the first that they can. */
  private static List<Architecture> known(List<String> labels) {
    if (labels.isEmpty()) {
      String kind = CpuFeatures.machine().kind();
      for (Architecture one : List.of(Architecture.X86_64_V3, Architecture.AARCH64)) {
        if (one.family().equals(kind)) {
          return List.of(one);
        }
      }
      throw invalid("for is needed on a " + kind + " processor");
    }
    List<Architecture> named = new ArrayList<>();
    for (String label : labels) {
      Architecture one = Architecture.of(label.strip());
      if (one == null) {
        throw invalid(
            "for has '%s'; known are %s".formatted(label, String.join(", ", architectures())));
      }
      named.add(one);
    }
    return Architecture.highestFirst().stream().filter(named::contains).toList();
  }

  private static HalException invalid(String message) {
    return new HalException(Status.INVALID_ARGUMENT, message);
  }

  private static HostCompiler compiler(Architecture architecture, @Nullable String file) {
    if (file != null) {
      return HostCompiler.at(file);
    }
    String kind = architecture.family();
    Optional<HostCompiler> found = HostCompiler.findFor(kind);
    if (found.isPresent()) {
      return found.get();
    }
    boolean isOwn = CpuFeatures.machine().kind().equals(kind);
    throw new HalException(
        Status.FAILED_PRECONDITION,
        "there is no C++ compiler for %s on the PATH (%s); --compiler names one"
            .formatted(architecture, isOwn ? HostCompiler.names() : HostCompiler.crossName(kind)));
  }
}
