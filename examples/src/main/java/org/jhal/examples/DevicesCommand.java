// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

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
import org.jspecify.annotations.Nullable;

/**
 * A command of {@code hal} that runs one bundle on several devices: those of {@code --device}, or
 * all that can load it. {@code --kernels} names another bundle, {@code --variants} an overlay of
 * it.
 */
public abstract class DevicesCommand implements ToolProvider {
  private final String command;
  private final String description;
  private final String help;

  /**
   * Creates the command.
   *
   * @param command its name after {@code hal}
   * @param description one line for {@code hal --help}
   * @param help what {@code --help} prints
   */
  protected DevicesCommand(String command, String description, String help) {
    this.command = command;
    this.description = description;
    this.help = help;
  }

  /** One run of the command: its own options, and what it then does. */
  protected interface Run {
    /**
     * Takes an option that only this command has.
     *
     * @return whether there is such an option
     * @throws IllegalArgumentException if its value is wrong
     */
    boolean accept(String option, String value);

    /**
     * Does the work.
     *
     * @return the exit code
     */
    int run(PrintWriter out, PrintWriter err, List<Device> devices, ExecutableSource bundle)
        throws InterruptedException;
  }

  /** The bundle that is used if none is named. */
  protected abstract ExecutableSource bundle();

  /** A run whose options are at their defaults. */
  protected abstract Run newRun();

  @Override
  public final String name() {
    return "hal-" + command;
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public final Optional<String> description() {
    return Optional.of(description);
  }

  @Override
  public final int run(PrintWriter out, PrintWriter err, String... args) {
    if (List.of(args).contains("--help") || List.of(args).contains("-h")) {
      out.print(help);
      return 0;
    }
    Run run = newRun();
    List<String> uris = new ArrayList<>();
    ExecutableSource bundle;
    try {
      String kernels = null;
      String variants = null;
      for (int i = 0; i < args.length; i += 2) {
        String value = i + 1 < args.length ? args[i + 1] : "";
        if (value.isEmpty()) {
          return wrong(err, args[i]);
        }
        switch (args[i]) {
          case "--device" -> uris.add(value);
          case "--kernels" -> kernels = value;
          case "--variants" -> variants = value;
          default -> {
            String wrong = wrong(run, args[i], value);
            if (wrong != null) {
              return wrong(err, wrong);
            }
          }
        }
      }
      bundle = kernels == null ? bundle() : ExecutableSource.of(Path.of(kernels));
      bundle = variants == null ? bundle : bundle.withVariants(Path.of(variants));
    } catch (HalException | InvalidPathException e) {
      err.println("hal: INVALID_ARGUMENT: " + e.getMessage());
      return 2;
    }
    return run(out, err, run, uris.isEmpty() ? List.of("all") : uris, bundle);
  }

  private static @Nullable String wrong(Run run, String option, String value) {
    try {
      return run.accept(option, value) ? null : option;
    } catch (InvalidPathException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      return option + " " + value;
    }
  }

  private int wrong(PrintWriter err, String argument) {
    err.println(
        "hal: INVALID_ARGUMENT: unknown argument, or one without a proper value: '"
            + argument
            + "' (see hal "
            + command
            + " --help)");
    return 2;
  }

  private static int run(
      PrintWriter out, PrintWriter err, Run run, List<String> uris, ExecutableSource bundle) {
    List<Device> devices = new ArrayList<>();
    try {
      for (String uri : uris) {
        if (uri.equals("all")) {
          UsableDevices.open(devices, bundle, err);
        } else {
          devices.add(Hal.openDevice(uri));
        }
      }
      return run.run(out, err, devices, bundle);
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT ? 2 : 3;
    } catch (InterruptedException e) {
      return 130;
    } finally {
      Collections.reverse(devices);
      devices.forEach(Device::close);
    }
  }
}
