// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jhal.ExecutableSource;
import org.jhal.bench.BenchCases;
import org.jhal.bench.BenchTool;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hal bench}: the benchmarks. */
@Command(
    name = "bench",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Measures what submissions and waits cost.",
      "",
      "Beside each number stands what the JDK takes for the like. Numbers are medians over the rounds"
          + " (smallest..largest); docs/benchmarks.md explains how to read them.",
      "",
      "A case, or a row of it, whose kernel the device cannot load has no numbers; the formats that"
          + " it would need are listed below its table.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:all that this device can run was measured",
      "  1:a case or a side of it failed, or a file cannot be written",
      "  2:wrong usage, such as no case for this device, or a file of --compare or --from that has"
          + " no results",
      "  3:the device cannot be opened",
      "130:interrupted"
    })
final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private DeviceOption device;

  @Option(
      names = "--peer",
      paramLabel = "URI",
      description = "A second device, which those cases that can do so measure beside the first.")
  private @Nullable String peer;

  @Option(
      names = "--kernels",
      paramLabel = "PATH",
      description =
          "A bundle with the kernel 'touch' instead of the built-in one, for a device that loads"
              + " none of its formats.")
  private @Nullable Path kernels;

  @Option(
      names = "--variants",
      paramLabel = "FOLDER",
      description = "Further variants of that kernel, which are tried first.")
  private @Nullable Path variants;

  @Option(
      names = "--case",
      paramLabel = "PATTERN",
      description = "Only these cases; * is anything. Repeatable.")
  private List<String> cases = List.of();

  @Option(
      names = "--max",
      paramLabel = "N",
      defaultValue = "1000000",
      description =
          "At most N submissions in a sample, and N KiB in a transfer of pageable memory or of a"
              + " file (${DEFAULT-VALUE}).")
  private int max;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "7",
      description = "How many samples of each are taken (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warm-up",
      paramLabel = "MS",
      defaultValue = "1000",
      description = "How many milliseconds each is warmed up at least (${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Writes the results there as well, with all samples.")
  private @Nullable Path json;

  @Option(
      names = "--commit",
      paramLabel = "ID",
      description = "The git commit that is measured, for that file.")
  private @Nullable String commit;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description = "Writes the results as a page of HTML there, with bars.")
  private @Nullable Path page;

  @Option(
      names = "--compare",
      paramLabel = "FILE",
      description = "Shows results that --json wrote earlier beside them on the page.")
  private @Nullable Path compare;

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description = "Measures nothing: makes the page from results that --json wrote earlier.")
  private @Nullable Path from;

  @Option(names = "--list", description = "Lists the cases and runs nothing.")
  private boolean list;

  @Override
  public Integer call() throws InterruptedException {
    ExecutableSource bundle =
        kernels == null
            ? null
            : CommandFailure.ofOption(spec, "--kernels", kernels, ExecutableSource::of);
    if (variants != null) {
      ExecutableSource own = bundle;
      bundle =
          CommandFailure.ofOption(
              spec, "--variants", variants, folder -> BenchCases.withVariants(own, folder));
    }
    BenchTool.Earlier other =
        compare == null
            ? null
            : CommandFailure.ofOption(spec, "--compare", compare, BenchTool.Earlier::read);
    BenchTool.Options options = options(bundle, other);
    if (from != null) {
      return writePage(from, other);
    }
    if (list) {
      BenchTool.list(options, spec.commandLine().getOut());
      return ExitCode.SUCCESS;
    }
    return BenchTool.run(options, spec.commandLine().getOut(), spec.commandLine().getErr());
  }

  private BenchTool.Options options(
      @Nullable ExecutableSource bundle, BenchTool.@Nullable Earlier other) {
    return CommandFailure.ofOptions(
        spec,
        () ->
            new BenchTool.Options(
                device.uri(),
                peer,
                bundle,
                cases,
                max,
                rounds,
                Duration.ofMillis(warmUp),
                json,
                commit,
                page,
                other));
  }

  private int writePage(Path results, BenchTool.@Nullable Earlier other) {
    if (device.uri() != null || peer != null || json != null) {
      throw new ParameterException(
          spec.commandLine(),
          "--from measures nothing, so --device, --peer and --json are useless");
    }
    Path target = page;
    if (target == null) {
      throw new ParameterException(spec.commandLine(), "--from needs --page");
    }
    BenchTool.Earlier shown =
        CommandFailure.ofOption(spec, "--from", results, BenchTool.Earlier::read);
    return CommandFailure.ofOptions(
        spec, () -> BenchTool.writePage(shown, other, target, spec.commandLine().getErr()));
  }
}
