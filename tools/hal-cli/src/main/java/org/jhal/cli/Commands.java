// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/**
 * The subcommands whose options hal-cli declares. Some run what other jars have, such as the suite;
 * without its jar, such a command does not exist.
 */
final class Commands {
  /** All of them, as {@code hal --help} lists them. */
  private static final List<String> ALL =
      List.of(
          "devices",
          "drivers",
          "info",
          "run",
          "top",
          "trace",
          "version",
          "accuracy",
          "bench",
          "cache",
          "check",
          "compile",
          "cts",
          "fractal",
          "inputs",
          "pipeline",
          "product",
          "record",
          "replay",
          "transformer");

  private Commands() {}

  /** The object of a command, which picocli fills in, or null if there is none of this name. */
  static @Nullable Object create(String name) {
    if (!isThere(name)) {
      return null;
    }
    return switch (name) {
      case "devices" -> new DevicesCommand();
      case "drivers" -> new DriversCommand();
      case "info" -> new InfoCommand();
      case "run" -> new RunCommand();
      case "top" -> new TopCommand();
      case "trace" -> new TraceCommand();
      case "version" -> new VersionCommand();
      case "accuracy" -> new AccuracyCommand();
      case "bench" -> new BenchCommand();
      case "cache" -> new CacheCommand();
      case "check" -> new CheckCommand();
      case "compile" -> new CompileCommand();
      case "cts" -> new CtsCommand();
      case "fractal" -> new FractalCommand();
      case "inputs" -> new InputsCommand();
      case "pipeline" -> new PipelineCommand();
      case "product" -> new ProductCommand();
      case "record" -> new RecordCommand();
      case "replay" -> new ReplayCommand();
      case "transformer" -> new TransformerCommand();
      default -> null;
    };
  }

  /** The names of those that are there. */
  static List<String> names() {
    return ALL.stream().filter(Commands::isThere).toList();
  }

  /** The first line of what {@code hal NAME --help} says about a command that is there. */
  static String description(String name) {
    Object command = Objects.requireNonNull(create(name), name);
    return Objects.requireNonNull(command.getClass().getAnnotation(Command.class)).description()[0];
  }

  /** Loads no class, as {@code hal --help} lists all commands. */
  private static boolean isThere(String name) {
    String needed = needed(name);
    return needed == null
        || Commands.class.getClassLoader().getResource(needed.replace('.', '/') + ".class") != null;
  }

  /** A class of the jar that the command runs, or null if that is hal-cli. */
  private static @Nullable String needed(String name) {
    return switch (name) {
      case "bench" -> "org.jhal.bench.BenchTool";
      case "cache" -> "org.jhal.kernels.cache.CacheTool";
      case "check", "compile" -> "org.jhal.cpu.CompileTool";
      case "cts" -> "org.jhal.cts.run.tool.CtsTool";
      case "record", "replay" -> "org.jhal.recording.replay.ReplayTool";
      case "accuracy", "fractal", "inputs", "pipeline", "product", "transformer" ->
          "org.jhal.examples.Accuracy";
      default -> null;
    };
  }
}
