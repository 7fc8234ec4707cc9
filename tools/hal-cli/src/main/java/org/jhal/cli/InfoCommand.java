// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Form;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.jhal.Setting;
import org.jhal.cli.text.Table;
import org.jhal.cli.text.Units;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal info}: everything about one device, or how a group of devices exchanges data. */
@Command(
    name = "info",
    description =
        "Opens a device and prints what it is, what it offers, and every setting with its origin;"
            + " or opens several, and prints how they exchange data.")
final class InfoCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "URI", description = "The device.")
  private @Nullable String uri;

  @Option(
      names = "--group",
      paramLabel = "URI[,URI...]",
      description = "Devices of a group, instead of one device: how collectives are carried out.")
  private @Nullable String group;

  @Override
  public void run() {
    String list = group;
    if (list == null) {
      printDevice();
    } else if (uri != null) {
      throw CommandFailure.wrongUsage("--group takes the place of the device '" + uri + "'");
    } else {
      printGroup(ranks(list));
    }
  }

  private static List<String> ranks(String list) {
    List<String> ranks = List.of(list.split(",", -1));
    if (ranks.stream().anyMatch(String::isBlank)) {
      throw CommandFailure.wrongUsage(
          "--group '" + list + "' lacks a device; it is a list of URIs, with commas between them");
    }
    return ranks;
  }

  private void printGroup(List<String> ranks) {
    PrintWriter out = spec.commandLine().getOut();
    List<Device> devices = new ArrayList<>();
    try {
      for (String rank : ranks) {
        devices.add(CommandFailure.openDevice(rank));
      }
      try (CollectiveGroup made = CollectiveGroup.of(devices, CollectiveGroup.Options.DEFAULT)) {
        Table members = new Table();
        members.row("RANK", "DEVICE", "NAME");
        for (int rank = 0; rank < made.size(); rank++) {
          DeviceInfo info = devices.get(rank).info();
          members.row(String.valueOf(rank), info.uri(), info.name());
        }
        members.print(out);
        out.println();
        forms(made).print(out);
      }
      out.flush();
    } finally {
      devices.forEach(Device::close);
    }
  }

  /** One row for each form of a kind, with what it serves. */
  private static Table forms(CollectiveGroup group) {
    Table table = new Table();
    table.row("COLLECTIVE", "OF", "FORM", "WHY");
    for (Kind kind : Kind.values()) {
      Map<Form, Set<String>> served = new LinkedHashMap<>();
      if (kind.isReduction()) {
        for (Reduction reduction : Reduction.values()) {
          for (ElementType type : ElementType.values()) {
            if (reduction != Reduction.AVERAGE || !type.label().matches("[iu].*")) {
              served
                  .computeIfAbsent(group.form(kind, reduction, type), form -> new LinkedHashSet<>())
                  .add(type.label());
            }
          }
        }
      } else {
        served.put(group.form(kind, null, null), Set.of("bytes"));
      }
      served.forEach(
          (form, types) ->
              table.row(
                  kind.label(),
                  types.size() == ElementType.values().length
                      ? "all types"
                      : String.join(", ", types),
                  form.name(),
                  form.reason()));
    }
    return table;
  }

  private void printDevice() {
    try (Device device = CommandFailure.openDevice(uri)) {
      PrintWriter out = spec.commandLine().getOut();
      facts(device).print(out);
      out.println();
      settings(device).print(out);
      out.flush();
    }
  }

  private static Table facts(Device device) {
    DeviceInfo info = device.info();
    Table table = new Table();
    table.row("device", info.uri());
    table.row("name", info.name());
    table.row("uuid", info.uuid());
    if (info.pciAddress() != null) {
      table.row("pci address", info.pciAddress());
    }
    table.row("memory", Units.bytes(info.memoryBytes()));
    table.row("largest buffer", Units.bytes(info.maxAllocationBytes()));
    String most = info.maxQueues() == Integer.MAX_VALUE ? "" : " of at most " + info.maxQueues();
    table.row("queues", device.queueCount() + most);
    table.row("largest grid", info.maxWorkgroupCount() + " workgroups");
    table.row(
        "largest workgroup",
        info.maxWorkgroupItems() + " items, at most " + info.maxWorkgroupSize());
    if (info.maxSharedMemory() != Integer.MAX_VALUE) {
      table.row("shared memory", Units.bytes(info.maxSharedMemory()) + " for each workgroup");
    }
    if (info.maxArgumentBytes() != Integer.MAX_VALUE) {
      table.row("arguments", Units.bytes(info.maxArgumentBytes()) + " for each kernel");
    }
    if (!info.reportsKernelFailures()) {
      table.row("kernels that give up", "are not detected");
    }
    table.row("formats", String.join(", ", new TreeSet<>(device.executableFormats())));
    table.row("capabilities", capabilities(device));
    new TreeMap<>(info.properties()).forEach((name, value) -> table.row(name, value));
    return table;
  }

  private static String capabilities(Device device) {
    TreeSet<String> names = new TreeSet<>();
    device.capabilities().forEach(capability -> names.add(capability.name()));
    return names.isEmpty() ? "none" : String.join(", ", names);
  }

  private static Table settings(Device device) {
    Table table = new Table();
    table.row("SETTING", "VALUE", "ORIGIN", "MEANING");
    for (Setting setting : device.settings()) {
      table.row(setting.name(), setting.value(), setting.origin(), setting.description());
    }
    return table;
  }
}
