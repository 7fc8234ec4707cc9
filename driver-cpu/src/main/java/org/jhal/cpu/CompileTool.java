// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.Architecture;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.KernelLibrary;
import org.jhal.cpu.compile.SourceCompiler;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.SourceCode;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the kernels in C++ ({@code gpu-c++}) of a bundle for the device {@code cpu} of machines
 * that have no compiler, as variants in the format {@code cpu-so}; {@code hal compile} runs it.
 *
 * <p>Thread-safe.
 */
public final class CompileTool {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int NO_COMPILER = 3;

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

  /** Ends the command with an exit code. */
  private static final class CommandException extends Exception {
    private static final long serialVersionUID = 1;
    private final int exitCode;

    CommandException(int exitCode, String message) {
      super(message);
      this.exitCode = exitCode;
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
    try {
      compile(options, out);
      return OK;
    } catch (CommandException e) {
      err.println("hal: " + e.getMessage());
      return e.exitCode;
    } catch (HalException e) {
      String text = e.status() + ": " + e.getMessage();
      err.println("hal: " + text.strip().replaceAll("\\R", System.lineSeparator() + "    "));
      boolean isInput = e.status() == Status.INVALID_ARGUMENT || e.status() == Status.NOT_FOUND;
      return isInput ? USAGE : FAILED;
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static void compile(Options options, PrintWriter out) throws CommandException {
    Path bundle = options.bundle();
    ExecutableSource source = ExecutableSource.of(bundle);
    Manifest manifest = Manifest.read(source);
    Variant variant =
        manifest.variants().stream()
            .filter(one -> one.format().equals(Variant.CPP))
            .findFirst()
            .orElseThrow(
                () ->
                    invalid(
                        "bundle %s has no kernels in %s, but %s"
                            .formatted(
                                bundle,
                                Variant.CPP,
                                new TreeSet<>(
                                    manifest.variants().stream().map(Variant::format).toList()))));
    Map<Architecture, HostCompiler> compilers = new LinkedHashMap<>();
    for (Architecture architecture : known(options.architectures())) {
      compilers.put(architecture, compiler(architecture, options.compiler()));
    }
    Path overlay = options.overlay();
    CpuVariants target =
        overlay == null
            ? CpuVariants.inBundle(bundle)
            : CpuVariants.inOverlay(overlay, manifest.name());
    String file = String.valueOf(variant.file());
    String what = file + " of bundle " + source.name();
    SourceCode code = SourceCode.read(source, file, variant.readFile(source), what);
    List<String> lines = new ArrayList<>();
    for (Map.Entry<Architecture, HostCompiler> each : compilers.entrySet()) {
      Architecture architecture = each.getKey();
      String name = what + " for " + architecture;
      byte[] library =
          new SourceCompiler(each.getValue(), null, architecture)
              .compile(code, variant, manifest.kernels(), name);
      KernelLibrary.read(library, name); // a compiler for other processors is found now
      String made = target.add(file, architecture, library);
      int size = (library.length + 1023) / 1024;
      lines.add(String.format(Locale.ROOT, "%-10s  %4d KiB  %s", architecture, size, made));
    }
    try {
      target.write();
    } catch (IOException e) {
      HalException failure = HostFailures.of(Status.DATA_LOSS, "cannot write the variants", e);
      throw new CommandException(FAILED, failure.status() + ": " + failure.getMessage());
    }
    lines.forEach(out::println);
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

  private static HostCompiler compiler(Architecture architecture, @Nullable String file)
      throws CommandException {
    if (file != null) {
      return HostCompiler.at(file);
    }
    String kind = architecture.family();
    Optional<HostCompiler> found = HostCompiler.findFor(kind);
    if (found.isPresent()) {
      return found.get();
    }
    boolean isOwn = CpuFeatures.machine().kind().equals(kind);
    throw new CommandException(
        NO_COMPILER,
        "FAILED_PRECONDITION: there is no C++ compiler for %s on the PATH (%s); --compiler names one"
            .formatted(architecture, isOwn ? HostCompiler.names() : HostCompiler.crossName(kind)));
  }
}
