package org.jhal.cli;

import java.io.PrintWriter;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.Setting;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hal info}: everything about one device. */
@Command(
    name = "info",
    description =
        "Opens a device and prints what it is, what it offers, and every setting with its origin.")
final class InfoCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "URI", description = "The device.")
  private @Nullable String uri;

  @Override
  public void run() {
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
    table.row("queues", String.valueOf(device.queueCount()));
    table.row("largest grid", info.maxWorkgroupCount() + " workgroups");
    table.row(
        "largest workgroup",
        info.maxWorkgroupItems() + " items, at most " + info.maxWorkgroupSize());
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
