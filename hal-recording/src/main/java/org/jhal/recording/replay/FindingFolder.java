// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.recording.compare.Constants;
import org.jhal.recording.compare.Finding;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/** A folder with all that is needed to run one dispatch again, alone. */
final class FindingFolder {
  private static final String BUNDLE = "bundle";
  private static final String SUBSTITUTE = "substitute";
  private static final String SCRIPT = "run.sh";

  private final Path folder;
  private final Finding finding;
  private final Kernel kernel;

  private FindingFolder(Path folder, Finding finding, Kernel kernel) {
    this.folder = folder;
    this.finding = finding;
    this.kernel = kernel;
  }

  /**
   * Writes the bundle, the inputs, both outputs, and a script that runs the dispatch on both
   * devices, from any folder.
   *
   * @param devices the URIs of the two devices
   * @param launcher what runs {@code hal} from the current folder: a path, or a name on the PATH
   * @return the command for the second device, from the current folder
   */
  static String write(
      Path folder,
      Finding finding,
      Kernel kernel,
      BundleFolders bundles,
      List<String> devices,
      String launcher) {
    FindingFolder found = new FindingFolder(folder, finding, kernel);
    try {
      return found.write(bundles, devices, launcher);
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot write to the folder " + folder, e);
    }
  }

  private String write(BundleFolders bundles, List<String> devices, String launcher)
      throws IOException {
    Files.createDirectories(folder);
    int number = finding.dispatch().bundle();
    bundles.writeTo(folder.resolve(BUNDLE), number);
    String second =
        bundles.writeSubstituteTo(folder.resolve(SUBSTITUTE), number) ? SUBSTITUTE : BUNDLE;
    writeBuffers();
    Path here = Path.of("");
    Path script =
        Files.writeString(
            folder.resolve(SCRIPT),
            """
            #!/bin/sh
            # Runs the dispatch alone, on both devices, one after the other.
            # HAL  another command hal
            set -e
            cd -- "$(dirname -- "$0")"
            hal=${HAL:-%s}
            "$hal" %s
            "$hal" %s
            """
                .formatted(
                    quoted(fromAnywhere(launcher)),
                    arguments(here, BUNDLE, devices.get(0), "first"),
                    arguments(here, second, devices.get(1), "second")));
    boolean unused = script.toFile().setExecutable(true); // else it needs sh
    return quoted(launcher) + " " + arguments(folder, second, devices.get(1), "second");
  }

  /** A path that is relative to the current folder becomes an absolute one. */
  private static String fromAnywhere(String launcher) {
    return launcher.contains("/")
        ? Path.of(launcher).toAbsolutePath().normalize().toString()
        : launcher;
  }

  private void writeBuffers() throws IOException {
    List<Parameter> parameters = kernel.parameters();
    for (Finding.Input input : finding.inputs()) {
      Parameter parameter = parameters.get(input.parameter());
      byte[] bytes = input.bytes();
      if (bytes != null) {
        NpyFile.write(folder.resolve(parameter.name() + ".npy"), parameter.type(), bytes);
      }
    }
    for (Finding.Difference difference : finding.differences()) {
      Parameter parameter = parameters.get(difference.parameter());
      Path first = folder.resolve(parameter.name() + "-first.npy");
      NpyFile.write(first, parameter.type(), difference.firstOutput());
      Path second = folder.resolve(parameter.name() + "-second.npy");
      NpyFile.write(second, parameter.type(), difference.secondOutput());
    }
  }

  /**
   * The arguments of {@code hal}.
   *
   * @param from the way from where it runs to the folder
   */
  private String arguments(Path from, String bundle, String device, String which) {
    Action.Dispatch dispatch = finding.dispatch();
    List<Parameter> parameters = kernel.parameters();
    List<String> words = new ArrayList<>(List.of("run"));
    words.add(quoted(from.resolve(bundle) + ":" + kernel.name()));
    words.add("--device " + quoted(device));
    words.add("--groups " + dispatch.x() + "," + dispatch.y() + "," + dispatch.z());
    for (int i = 0; i < parameters.size(); i++) {
      Parameter parameter = parameters.get(i);
      @Nullable Range range = dispatch.buffers().get(i);
      String argument = "--arg " + parameter.name() + "=";
      if (range == null) {
        words.add(
            argument
                + Constants.numbers(parameters, i, dispatch.constants()).stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(",")));
      } else if (parameter.isRead()) {
        words.add(argument + quoted(from.resolve(parameter.name() + ".npy").toString()));
      } else {
        words.add("--shape " + parameter.name() + "=" + range.length() / parameter.type().bytes());
      }
    }
    words.add("--force");
    for (Finding.Difference difference : finding.differences()) {
      String name = parameters.get(difference.parameter()).name();
      Path file = from.resolve(name + "-" + which + "-alone.npy");
      words.add("--out " + name + "=" + quoted(file.toString()));
    }
    return String.join(" ", words);
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9_./:=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
