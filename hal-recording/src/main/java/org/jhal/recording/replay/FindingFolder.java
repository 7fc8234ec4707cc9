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

  private FindingFolder() {}

  /**
   * Writes the bundle, the inputs, both outputs, and the commands that run it.
   *
   * @param devices the URIs of the two devices
   * @return the command for the second device
   */
  static String write(
      Path folder, Finding finding, Kernel kernel, BundleFolders bundles, List<String> devices) {
    Action.Dispatch dispatch = finding.dispatch();
    List<Parameter> parameters = kernel.parameters();
    try {
      Files.createDirectories(folder);
      bundles.writeTo(folder.resolve(BUNDLE), dispatch.bundle());
      for (Finding.Input input : finding.inputs()) {
        Parameter parameter = parameters.get(input.parameter());
        byte[] bytes = input.bytes();
        if (bytes != null) {
          NpyFile.write(folder.resolve(parameter.name() + ".npy"), parameter.type(), bytes);
        }
      }
      Parameter parted = parameters.get(finding.parameter());
      NpyFile.write(
          folder.resolve(parted.name() + "-first.npy"), parted.type(), finding.firstOutput());
      NpyFile.write(
          folder.resolve(parted.name() + "-second.npy"), parted.type(), finding.secondOutput());
      List<String> commands = new ArrayList<>();
      Path bundle = folder.resolve(BUNDLE);
      Path other = bundles.substitute(dispatch.bundle());
      Path second = other == null ? bundle : other;
      commands.add(command(folder, bundle, finding, kernel, devices.get(0), "first"));
      commands.add(command(folder, second, finding, kernel, devices.get(1), "second"));
      Files.writeString(
          folder.resolve("run.sh"),
          "#!/bin/sh\n# "
              + folder.getFileName()
              + ": the dispatch alone, on both devices\nset -e\n"
              + String.join("\n", commands)
              + "\n");
      return commands.get(commands.size() - 1);
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "cannot write to the folder " + folder, e);
    }
  }

  private static String command(
      Path folder, Path bundle, Finding finding, Kernel kernel, String device, String which) {
    Action.Dispatch dispatch = finding.dispatch();
    List<Parameter> parameters = kernel.parameters();
    List<String> words = new ArrayList<>(List.of("hal run"));
    words.add(quoted(bundle + ":" + kernel.name()));
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
        words.add(argument + quoted(folder.resolve(parameter.name() + ".npy").toString()));
      } else {
        words.add("--shape " + parameter.name() + "=" + range.length() / parameter.type().bytes());
      }
    }
    Parameter parted = parameters.get(finding.parameter());
    words.add(
        "--force --out "
            + parted.name()
            + "="
            + quoted(folder.resolve(parted.name() + "-" + which + "-alone.npy").toString()));
    return String.join(" ", words);
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9_./:=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
