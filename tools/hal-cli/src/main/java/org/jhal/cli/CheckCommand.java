// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jhal.HalException;
import org.jhal.KernelFinding;
import org.jhal.cli.data.DataFiles;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.CheckTool;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code hal check}: runs one kernel of a bundle as {@code hal run} does, and says what is wrong.
 */
@Command(
    name = "check",
    sortOptions = false,
    customSynopsis = {
      "hal check BUNDLE[:KERNEL] [--checks LIST] [--json] [--html FILE]",
      "                 [--arg NAME=VALUE]... [--shape NAME=N,...]...",
      "                 [--groups X[,Y[,Z]]] ..."
    },
    description = {
      "Finds what is wrong with a kernel while it runs on the processors.",
      "",
      "Takes the arguments of hal run. For each access to memory it looks whether the kernel may make"
          + " it. A finding names the line of the source, the buffer and the work item. With"
          + " --device mock it checks the kernel in Java: bounds, and races between workgroups.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong, as far as this run shows",
      "6:something is wrong with the kernel",
      "others:as for hal run"
    },
    footer = {"", "Example:", "  hal check examples/saxpy --arg a=2 --arg x=x.npy --arg y=y.npy"})
final class CheckCommand extends RunCommand {
  private static final String DEFAULT_DEVICE = "cpu";
  private static final List<String> DRIVERS = List.of(DEFAULT_DEVICE, "mock");

  @Option(
      names = "--checks",
      paramLabel = "LIST",
      defaultValue = "all",
      description =
          "What is checked, separated by commas: memory, races, barriers, values, or all"
              + " (${DEFAULT-VALUE}).")
  private String checks = "";

  @Option(names = "--json", description = "Prints the findings as JSON, and nothing else.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Writes a page with the findings beside the source, and the elements around them.")
  private @Nullable Path html;

  @Override
  @Nullable String device(@Nullable String named) {
    return CommandFailure.ofOption(
        spec,
        "--checks",
        checks,
        list -> CheckTool.device(named == null ? DEFAULT_DEVICE : named, DRIVERS, list));
  }

  @Override
  boolean prints() {
    return false;
  }

  @Override
  boolean fillsInputs() {
    return true;
  }

  @Override
  boolean leavesOutputs() {
    return true;
  }

  @Override
  public Integer call() throws InterruptedException {
    CheckTool.take(); // of runs before this one
    HalException failure = null;
    try {
      super.call();
    } catch (HalException e) {
      failure = e;
    }
    List<CheckReport> reports = CheckTool.take();
    List<KernelFinding> findings = reports.stream().map(CheckReport::finding).toList();
    boolean isWrong = !findings.stream().allMatch(KernelFinding::isBenign);
    if (failure != null && !isWrong) {
      throw failure;
    }
    writePage(reports);
    print(findings);
    if (failure != null) { // which what was found has caused
      PrintWriter err = spec.commandLine().getErr();
      err.println("hal: " + failure.status() + ": " + failure.getMessage());
      err.flush();
    }
    return isWrong ? ExitCode.FOUND : ExitCode.SUCCESS;
  }

  private void writePage(List<CheckReport> reports) {
    Path file = html;
    if (file == null) {
      return;
    }
    try {
      Files.writeString(file, CheckPage.of(bundle(), reports));
    } catch (IOException e) {
      throw DataFiles.failure("cannot write '" + file + "'", e);
    }
  }

  private void print(List<KernelFinding> findings) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      JsonArray all = new JsonArray();
      findings.forEach(finding -> all.add(json(finding)));
      out.println(new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(all));
    } else {
      findings.forEach(out::println);
      out.println(
          findings.isEmpty()
              ? "nothing is wrong, as far as this run shows"
              : "findings: " + findings.size());
    }
    out.flush();
  }

  private static JsonObject json(KernelFinding finding) {
    JsonObject object = new JsonObject();
    object.addProperty("check", finding.check());
    object.addProperty("kernel", finding.kernel());
    object.addProperty("message", finding.message());
    object.addProperty("benign", finding.isBenign());
    object.addProperty("count", finding.count());
    object.add("places", places(finding));
    return object;
  }

  /** Where each work item is that takes part. */
  private static JsonArray places(KernelFinding finding) {
    JsonArray places = new JsonArray();
    places.add(place(finding.item(), finding.place()));
    if (!finding.otherItem().isEmpty()) {
      places.add(place(finding.otherItem(), finding.otherPlace()));
    }
    return places;
  }

  private static JsonObject place(String item, KernelFinding.@Nullable Place place) {
    JsonObject object = new JsonObject();
    object.addProperty("item", item);
    if (place != null) {
      object.addProperty("file", place.file());
      object.addProperty("line", place.line());
      object.addProperty("text", place.text());
      object.addProperty("column", place.column());
      object.addProperty("length", place.length());
    }
    return object;
  }
}
