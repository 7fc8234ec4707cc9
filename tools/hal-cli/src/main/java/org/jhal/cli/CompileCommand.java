// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.CompileTool;
import org.jhal.kernels.compile.BundleCompiler;
import org.jhal.kernels.compile.CompileTarget;
import org.jhal.spirv.VulkanTarget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal compile}: variants of a bundle for machines without a compiler. */
@Command(
    name = "compile",
    sortOptions = false,
    customSynopsis = "hal compile BUNDLE (--out FOLDER | --add) [OPTIONS]",
    description = {
      "Compiles C++ kernels for machines without a compiler.",
      "",
      "The kernels (gpu-c++) of the bundle become variants in the format cpu-so, for the device cpu,"
          + " or vulkan-spirv, for Vulkan devices. Variants for the same architectures are replaced,"
          + " and all others are kept. In case of a failure nothing is written.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:compiling or writing failed",
      "2:wrong usage or bad input",
      "3:no compiler for one of the architectures"
    })
final class CompileCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  // Not required, or picocli would report it as missing if there is an unknown option. So are
  // --out and --add.
  @Parameters(
      arity = "0..1",
      hideParamSyntax = true,
      paramLabel = "BUNDLE",
      description = "A folder, or a zip or jar file.")
  private @Nullable Path bundle;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "Writes an overlay to this folder, for --variants. It is made if needed.")
  private @Nullable Path out;

  @Option(
      names = "--add",
      description = "Adds the variants to the bundle itself, which must be a folder.")
  private boolean add;

  @Option(
      names = "--for",
      paramLabel = "LIST",
      split = ",",
      hideParamSyntax = true,
      completionCandidates = Architectures.class,
      description =
          "What to compile for, separated by commas: ${COMPLETION-CANDIDATES}. By default x86_64-v3"
              + " on x86-64, and aarch64 on 64-bit ARM. All Vulkan devices take the same code.")
  private List<String> architectures = List.of();

  @Option(
      names = "--compiler",
      paramLabel = "FILE",
      description =
          "The compiler, a file or a name on the PATH. By default c++, g++ or clang++ on the PATH,"
              + " for another kind of processor than this machine's such as aarch64-linux-gnu-g++,"
              + " and for vulkan the Clang of docs/spirv.md.")
  private @Nullable String compiler;

  /** What {@code --for} knows. */
  static final class Architectures implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return known().iterator();
    }
  }

  private static List<String> known() {
    return Stream.concat(CompileTool.architectures().stream(), Stream.of(VulkanTarget.LABEL))
        .toList();
  }

  @Override
  public Integer call() {
    Path source = bundle;
    if (source == null) {
      throw new ParameterException(spec.commandLine(), "BUNDLE is missing");
    }
    if (out != null && add) {
      throw new ParameterException(spec.commandLine(), "--out and --add exclude each other");
    }
    if (out == null && !add) {
      throw new ParameterException(spec.commandLine(), "either --out FOLDER or --add is needed");
    }
    List<String> labels = CommandFailure.ofOptions(spec, this::labels);
    return BundleCompiler.run(
        source,
        out,
        () -> targets(labels),
        spec.commandLine().getOut(),
        spec.commandLine().getErr());
  }

  /** What to compile for. */
  private List<String> labels() {
    List<String> labels = architectures.stream().map(String::strip).toList();
    for (String label : labels) {
      if (!known().contains(label)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "for has '%s'; known are %s".formatted(label, String.join(", ", known())));
      }
    }
    if (compiler != null && labels.size() > 1 && labels.contains(VulkanTarget.LABEL)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "compiler is for the device cpu or for vulkan, and for has both: " + labels);
    }
    return labels;
  }

  private List<CompileTarget> targets(List<String> labels) {
    List<String> processors =
        labels.stream().filter(label -> !label.equals(VulkanTarget.LABEL)).toList();
    List<CompileTarget> targets = new ArrayList<>();
    if (labels.isEmpty() || !processors.isEmpty()) {
      targets.addAll(CompileTool.targets(processors, compiler));
    }
    if (labels.contains(VulkanTarget.LABEL)) {
      targets.add(VulkanTarget.find(compiler));
    }
    return targets;
  }
}
