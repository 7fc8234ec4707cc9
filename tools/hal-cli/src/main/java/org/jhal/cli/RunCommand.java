// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.cli.text.Table;
import org.jhal.cli.text.Units;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal run}: one kernel of a bundle, on data from files. */
@Command(
    name = "run",
    sortOptions = false,
    customSynopsis = {
      "hal run BUNDLE[:KERNEL] [--device URI] [--arg NAME=VALUE]...",
      "               [--out NAME=FILE]... [--shape NAME=N,...]... [--groups X[,Y[,Z]]]",
      "               [--force] [--variants FOLDER] [--repeat N] [--timeout SECONDS]",
      "               [--verbose]"
    },
    description = {
      "Runs a kernel of a bundle on a device, with data from files.",
      "",
      "A file that ends in .npy is a NumPy array, one that ends in .png is a picture (height x"
          + " width x channels of u8), any other file holds raw bytes. Pictures of other formats"
          + " (.jpg, .gif, .bmp, .tif and the like) are refused.",
      ""
    },
    footer = {
      "",
      "Example:",
      "  hal run examples/edges --device mock --arg image=in.png --out edges=out.png"
    })
class RunCommand implements Callable<Integer> {
  private static final int MAX_REPEAT = 1_000_000;

  @Spec CommandSpec spec;

  // Not required, or picocli would report it as missing if there is an unknown option.
  @Parameters(
      arity = "0..1",
      hideParamSyntax = true,
      paramLabel = "BUNDLE[:KERNEL]",
      description = "A folder, zip or jar with a manifest.json, and the name of a kernel in it.")
  private @Nullable String bundle;

  @Option(names = "--device", paramLabel = "URI", description = "The device to run on.")
  private @Nullable String device;

  @Option(
      names = "--variants",
      paramLabel = "FOLDER",
      description =
          "A folder of variants from outside (docs/bundles.md), to be tried before the bundle's"
              + " own.")
  private @Nullable Path variants;

  @Option(
      names = "--arg",
      paramLabel = "NAME=VALUE",
      description =
          "A constant (2.5, 0x10, nan, -inf), or the file that fills a buffer. Repeatable.")
  private List<String> args = List.of();

  @Option(
      names = "--out",
      paramLabel = "NAME=FILE",
      description = "The file for a buffer that the kernel writes. Repeatable.")
  private List<String> outs = List.of();

  @Option(names = "--force", description = "Lets an output take the place of an input.")
  private boolean force;

  @Option(
      names = "--shape",
      paramLabel = "NAME=N,...",
      description =
          "The dimensions of a buffer, if no file and no hint of the manifest gives them:"
              + " y=480,640,3. Repeatable.")
  private List<String> shapes = List.of();

  @Option(
      names = "--groups",
      paramLabel = "X[,Y[,Z]]",
      description = "The number of workgroups, instead of the manifest's hint.")
  private @Nullable String groups;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      description = {
        "Runs N times and prints the times: submit, for the call that submits the kernel; device,"
            + " from that call until the kernel is complete; total, including reading and uploading"
            + " the inputs and reading back the outputs. Also prints how the device runs the kernel,"
            + " if it has a choice."
      })
  private @Nullable Integer repeat;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description =
          "How long to wait for the device before giving up (${DEFAULT-VALUE}). What is stuck then"
              + " is printed.")
  private int timeout;

  /** Closes the device, unless the user has stopped waiting for it. */
  private static final class Ending implements AutoCloseable {
    private final Device device;

    /** Whether to leave running work alone; closing the device would wait for it once more. */
    boolean givesUp;

    Ending(Device device) {
      this.device = device;
    }

    @Override
    public void close() {
      if (givesUp) {
        Main.leaveWork();
      } else {
        device.close();
      }
    }
  }

  /** A bundle and the name after the colon, null if there is none. */
  record Target(Path bundle, @Nullable String kernel) {
    /**
     * Splits {@code BUNDLE[:KERNEL]}: a path may have colons itself, so what exists decides.
     *
     * @throws HalException NOT_FOUND if there is no such file or folder
     */
    static Target parse(String text) {
      Path whole = existing(text);
      if (whole != null) {
        return new Target(whole, null);
      }
      int colon = text.lastIndexOf(':');
      Path before = colon < 0 ? null : existing(text.substring(0, colon));
      if (before == null) {
        throw new HalException(
            Status.NOT_FOUND, "no bundle at '" + text + "': neither a folder nor a file");
      }
      if (colon == text.length() - 1) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "'" + text + "' has no kernel after the colon");
      }
      return new Target(before, text.substring(colon + 1));
    }

    private static @Nullable Path existing(String text) {
      try {
        Path path = Path.of(text);
        return !text.isEmpty() && Files.exists(path) ? path : null;
      } catch (InvalidPathException e) {
        return null;
      }
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    String text = bundle;
    if (text == null) {
      throw CommandFailure.wrongUsage(
          new ParameterException(spec.commandLine(), "BUNDLE[:KERNEL] is missing"));
    }
    RunArguments arguments =
        CommandFailure.badInput(
            () -> {
              checkRange("--repeat", repeat == null ? 1 : repeat, MAX_REPEAT);
              checkRange("--timeout", timeout, Integer.MAX_VALUE);
              return RunArguments.parse(args, outs, shapes, groups, force);
            });
    Target target = CommandFailure.badInput(() -> Target.parse(text));
    ExecutableSource source = CommandFailure.badInput(() -> source(target.bundle(), variants));
    Device opened = CommandFailure.openDevice(device(device));
    try (Ending ending = new Ending(opened);
        Executable executable = load(opened, source)) {
      warnOfUnusedVariants(source, executable);
      Kernel kernel = CommandFailure.badInput(() -> choose(executable, target, source));
      try (RunPlan plan =
          CommandFailure.badInput(
              () ->
                  RunPlan.of(
                      kernel,
                      RunHints.read(source, kernel.name()),
                      arguments,
                      opened.info().maxWorkgroupCount(),
                      fillsInputs()))) {
        try {
          run(opened, kernel, plan);
        } catch (InterruptedException e) {
          ending.givesUp = true;
          throw e;
        } catch (HalException e) {
          ending.givesUp = e.status() == Status.DEADLINE_EXCEEDED;
          throw e;
        }
      }
    }
    return ExitCode.SUCCESS;
  }

  /** What the user has named; empty if nothing. */
  final String bundle() {
    return bundle == null ? "" : bundle;
  }

  /** The device to open for what the user has named. */
  @Nullable String device(@Nullable String named) {
    return named;
  }

  private static ExecutableSource source(Path bundle, @Nullable Path variants) {
    ExecutableSource source = ExecutableSource.of(bundle);
    return variants == null ? source : source.withVariants(variants);
  }

  private static void checkRange(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new HalException(
          Status.OUT_OF_RANGE, option + " " + value + " is not from 1 to " + max);
    }
  }

  /**
   * Loads the bundle. A malformed bundle is bad input; if the device cannot load it, the device is
   * unusable.
   */
  private static Executable load(Device device, ExecutableSource source) {
    try {
      return device.loadExecutable(source);
    } catch (HalException e) {
      if (e.status() == Status.UNIMPLEMENTED || e.status() == Status.UNAVAILABLE) {
        throw CommandFailure.unusable(e);
      }
      return CommandFailure.badInput(
          () -> {
            throw e;
          });
    }
  }

  /** The user has probably named the wrong folder, or the wrong bundle in it. */
  private void warnOfUnusedVariants(ExecutableSource source, Executable loaded) {
    List<String> unused =
        loaded.refusals().stream()
            .filter(
                refusal ->
                    source.overlays().stream().anyMatch(o -> refusal.startsWith(o.name() + ": ")))
            .toList();
    if (variants != null && unused.size() == source.overlays().size()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(
          "hal: warning: nothing of --variants "
              + variants
              + " is used: "
              + String.join("; ", unused));
      err.flush();
    }
  }

  private static Kernel choose(Executable executable, Target target, ExecutableSource source) {
    if (target.kernel() != null) {
      return executable.kernel(target.kernel());
    }
    List<Kernel> all = executable.kernels();
    if (all.size() != 1) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "bundle "
              + source.name()
              + " has several kernels; name one of them as "
              + source.name()
              + ":KERNEL: "
              + String.join(", ", all.stream().map(Kernel::name).toList()));
    }
    return all.get(0);
  }

  private void run(Device device, Kernel kernel, RunPlan plan) throws InterruptedException {
    int count = repeat == null ? 1 : repeat;
    RunJob.Times[] times = new RunJob.Times[count];
    PrintWriter out = spec.commandLine().getOut();
    try (RunJob job =
            new RunJob(
                device,
                kernel,
                plan,
                Duration.ofSeconds(timeout),
                RunJob.PIECE_BYTES,
                leavesOutputs());
        Progress progress =
            count > 1 && Progress.isOnTerminal()
                ? new Progress(spec.commandLine().getErr(), count)
                : null) {
      for (int i = 0; i < count; i++) {
        times[i] = runOnce(job, i == count - 1);
        if (progress != null) {
          progress.step();
        }
      }
    }
    if (!prints()) {
      return;
    }
    for (RunPlan.Binding binding : plan.bindings()) {
      if (binding instanceof RunPlan.Array array && array.path() != null) {
        out.println(
            "wrote "
                + array.path()
                + ": "
                + array.parameter().type().label()
                + " "
                + array.shape());
      }
    }
    if (repeat != null) {
      summary(times).print(out);
      if (!kernel.note().isEmpty()) {
        out.println("kernel " + kernel.name() + ": " + kernel.note());
      }
    } else if (outs.isEmpty()) {
      hintOutputs(kernel, out);
    }
    out.flush();
  }

  /** Whether a run says what it has written, and how long it took. */
  boolean prints() {
    return true;
  }

  /** Whether inputs that have a shape and no file are zeros. */
  boolean fillsInputs() {
    return false;
  }

  /** Whether buffers that the kernel only writes are not filled with zeros. */
  boolean leavesOutputs() {
    return false;
  }

  /** Prints a line for a run that prints neither outputs nor times. */
  private static void hintOutputs(Kernel kernel, PrintWriter out) {
    List<String> outputs =
        kernel.parameters().stream()
            .filter(p -> p.kind() == Parameter.Kind.BUFFER)
            .filter(p -> p.direction() != Parameter.Direction.IN)
            .map(p -> "--out " + p.name() + "=FILE")
            .toList();
    out.println(
        outputs.isEmpty()
            ? "the kernel ran; it has no output"
            : "the kernel ran; no output was written, as there is no "
                + String.join(" or ", outputs));
  }

  private RunJob.Times runOnce(RunJob job, boolean isLast) throws InterruptedException {
    try {
      return job.run(repeat != null, isLast);
    } catch (HalException e) {
      if (e.status() == Status.DEADLINE_EXCEEDED) {
        // Printed while the operations are open. The failure of the command is one line, as always.
        PrintWriter err = spec.commandLine().getErr();
        err.print(Hal.explain());
        err.flush();
      }
      throw e;
    }
  }

  private static Table summary(RunJob.Times[] times) {
    Table table = new Table();
    table.row("", "first", "median", "min");
    summary(table, "submit", times, RunJob.Times::submit);
    summary(table, "device", times, RunJob.Times::device);
    summary(table, "total", times, RunJob.Times::total);
    return table;
  }

  private static void summary(
      Table table, String name, RunJob.Times[] times, ToLongFunction<RunJob.Times> part) {
    long[] values = Arrays.stream(times).mapToLong(part).toArray();
    long first = values[0];
    Arrays.sort(values);
    table.row(name, Units.nanos(first), Units.nanos(median(values)), Units.nanos(values[0]));
  }

  /** The middle value, or the mean of the two in the middle. */
  static long median(long... sorted) {
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }
}
