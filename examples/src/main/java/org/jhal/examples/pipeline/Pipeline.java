// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.pipeline;

import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.examples.Accuracy;

/**
 * {@code hal pipeline [DEVICE ...]}: stages on several devices, of one driver or of several,
 * ordered by one timeline. {@link PipelineRun} is the program; here are its arguments.
 */
public final class Pipeline implements ToolProvider {
  private static final List<String> DEFAULT = List.of("mock://0?devices=2", "mock://1?devices=2");
  private static final String HELP =
      """
      Runs stages on several devices, of one driver or of several, ordered by one timeline, and
      checks the result.

      Usage: hal pipeline [--kernels PATH] [--variants FOLDER] [DEVICE ...]

      The first device generates values, each one between smooths them, and the last one adds them
      up. Where there are fewer than three, the first one smooths as well. A device may be named
      more than once. Without any these are two of the mock. PATH is a bundle with the kernels
      `generate`, `smooth` and `sum`, for devices that load none of the formats of the one that is
      built in; it has to have a format of each of the devices. FOLDER has further variants of them,
      which are tried first.

      Exit codes: 0 the result is correct, 1 it is not, or a stage failed, 2 wrong usage, 3 a device
      cannot be opened, 130 interrupted.
      """;

  @Override
  public String name() {
    return "hal-pipeline";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Example: stages on several devices, ordered by one timeline.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    List<String> uris = new ArrayList<>();
    String kernels = null;
    String variants = null;
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("--help") || args[i].equals("-h")) {
        out.print(HELP);
        return 0;
      } else if (args[i].equals("--kernels") && i + 1 < args.length && !args[i + 1].isEmpty()) {
        kernels = args[++i];
      } else if (args[i].equals("--variants") && i + 1 < args.length && !args[i + 1].isEmpty()) {
        variants = args[++i];
      } else if (args[i].startsWith("-")) {
        err.println(
            "hal: INVALID_ARGUMENT: unknown option, or one without a value: '"
                + args[i]
                + "' (see hal pipeline --help)");
        return 2;
      } else {
        uris.add(args[i]);
      }
    }
    ExecutableSource bundle;
    try {
      bundle =
          kernels == null
              ? ExecutableSource.ofResources(PipelineRun.class, "kernels")
              : ExecutableSource.of(Path.of(kernels));
      bundle = variants == null ? bundle : bundle.withVariants(Path.of(variants));
    } catch (HalException | InvalidPathException e) {
      String options =
          (kernels == null ? "" : "--kernels " + kernels)
              + (kernels == null || variants == null ? "" : " ")
              + (variants == null ? "" : "--variants " + variants);
      err.println("hal: INVALID_ARGUMENT: " + options + ": " + e.getMessage());
      return 2;
    }
    List<Device> devices = new ArrayList<>();
    try {
      for (String uri : uris.isEmpty() ? DEFAULT : uris) {
        devices.add(Hal.openDevice(uri));
      }
      return run(out, err, devices, bundle);
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT ? 2 : 3;
    } finally {
      Collections.reverse(devices);
      devices.forEach(Device::close);
    }
  }

  private static int run(
      PrintWriter out, PrintWriter err, List<Device> devices, ExecutableSource bundle) {
    try (PipelineRun pipeline = new PipelineRun(devices, bundle)) {
      return pipeline.run(out) ? 0 : 1;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage() + Accuracy.hint(e));
      return 1;
    } catch (InterruptedException e) {
      return 130;
    }
  }
}
