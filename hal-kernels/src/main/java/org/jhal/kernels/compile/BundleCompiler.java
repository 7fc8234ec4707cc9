// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.compile;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.SourceCode;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the kernels in C++ ({@code gpu-c++}) of a bundle for machines that have no compiler;
 * {@code hal compile} runs it. Variants for the same devices are replaced, and all others are kept.
 *
 * <p>Thread-safe.
 */
public final class BundleCompiler {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int NO_COMPILER = 3;

  private BundleCompiler() {}

  /**
   * Compiles the kernels. In case of a failure nothing is written.
   *
   * @param bundle a folder, or a zip or jar file
   * @param overlay the folder that gets the variants as an overlay of the bundle, and is made if
   *     needed; null to add them to the bundle itself, which must be a folder
   * @param targets what to compile for, best first; FAILED_PRECONDITION if there is no compiler for
   *     one of them
   * @param out gets one line for each variant
   * @param err gets a failure, as {@code hal: STATUS: message}, with what the compiler said in
   *     further lines
   * @return 0; 1 if compiling or writing failed; 2 if the bundle or its code is wrong, or the named
   *     compiler is none; 3 if there is no compiler for one of the targets
   */
  public static int run(
      Path bundle,
      @Nullable Path overlay,
      Supplier<List<CompileTarget>> targets,
      PrintWriter out,
      PrintWriter err) {
    try {
      compile(bundle, overlay, targets).forEach(out::println);
      return OK;
    } catch (HalException e) {
      String text = e.status() + ": " + e.getMessage();
      err.println("hal: " + text.strip().replaceAll("\\R", System.lineSeparator() + "    "));
      return switch (e.status()) {
        case INVALID_ARGUMENT, NOT_FOUND -> USAGE;
        case FAILED_PRECONDITION -> NO_COMPILER;
        default -> FAILED;
      };
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static List<String> compile(
      Path bundle, @Nullable Path overlay, Supplier<List<CompileTarget>> targets) {
    ExecutableSource source = ExecutableSource.of(bundle);
    Manifest manifest = Manifest.read(source);
    Variant variant = sourceOf(manifest, bundle);
    List<CompileTarget> all = targets.get();
    VariantFiles files =
        overlay == null
            ? VariantFiles.inBundle(bundle)
            : VariantFiles.inOverlay(overlay, manifest.name());
    String what = variant.file() + " of bundle " + source.name();
    SourceCode code =
        SourceCode.read(source, String.valueOf(variant.file()), variant.readFile(source), what);
    List<String> lines = new ArrayList<>();
    for (CompileTarget target : all) {
      String label = target.label();
      byte[] made =
          target.compile(
              code, variant, manifest.kernels(), manifest.globals(), what + " for " + label);
      String file = files.add(variant, manifest.kernels(), target, made);
      int size = (made.length + 1023) / 1024;
      lines.add(String.format(Locale.ROOT, "%-10s  %4d KiB  %s", label, size, file));
    }
    try {
      files.write();
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot write the variants", e);
    }
    return lines;
  }

  private static Variant sourceOf(Manifest manifest, Path bundle) {
    return manifest.variants().stream()
        .filter(one -> one.format().equals(Variant.CPP))
        .findFirst()
        .orElseThrow(
            () ->
                new HalException(
                    Status.INVALID_ARGUMENT,
                    "bundle %s has no kernels in %s, but %s"
                        .formatted(
                            bundle,
                            Variant.CPP,
                            new TreeSet<>(
                                manifest.variants().stream().map(Variant::format).toList()))));
  }
}
