package org.jhal.cli;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.DriverRegistry;
import org.jhal.HalException;
import org.jhal.Workgroups;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hal devices}: what can be opened on this machine, and why the rest cannot. */
@Command(
    name = "devices",
    description = "Lists the devices of all drivers, and why a driver cannot be used.")
final class DevicesCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Prints one JSON object instead of a table.")
  private boolean json;

  /**
   * A driver, asked.
   *
   * @param isAvailable whether it can be used
   * @param detail what it says of itself, or why it cannot be used
   */
  private record Answer(
      DriverRegistry.Entry entry, boolean isAvailable, String detail, List<DeviceInfo> devices) {}

  @Override
  public void run() {
    DriverRegistry registry = DriverRegistry.load();
    List<Answer> answers = new ArrayList<>();
    for (DriverRegistry.Entry entry : registry.entries()) {
      answers.add(ask(registry, entry));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      printJson(answers, out);
    } else {
      printTable(answers, out);
    }
    out.flush();
  }

  private static Answer ask(DriverRegistry registry, DriverRegistry.Entry entry) {
    if (entry.problem() != null) {
      return new Answer(entry, false, entry.problem(), List.of());
    }
    try {
      Driver driver = registry.driver(entry.name());
      Driver.Availability verdict = driver.probe();
      return new Answer(
          entry,
          verdict.isAvailable(),
          verdict.detail(),
          verdict.isAvailable() ? driver.devices(DeviceUri.parse(entry.name())) : List.of());
    } catch (HalException e) {
      return new Answer(entry, false, String.valueOf(e.getMessage()), List.of());
    } catch (RuntimeException | LinkageError e) { // a driver's own mistake must not hide the others
      return new Answer(entry, false, e.toString(), List.of());
    }
  }

  private static void printTable(List<Answer> answers, PrintWriter out) {
    Table table = new Table();
    if (answers.isEmpty()) {
      table.row("no driver on the class path");
    }
    for (Answer answer : answers) {
      if (!answer.isAvailable()) {
        table.row(answer.entry().name(), "unavailable: " + answer.detail());
      } else if (answer.devices().isEmpty()) {
        table.row(answer.entry().name(), "no devices: " + answer.detail());
      }
      for (DeviceInfo device : answer.devices()) {
        table.row(device.uri(), device.name(), Units.bytes(device.memoryBytes()), device.uuid());
      }
    }
    table.print(out);
  }

  private static void printJson(List<Answer> answers, PrintWriter out) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.setIndent("  ");
      json.beginObject().name("drivers").beginArray();
      for (Answer answer : answers) {
        json.beginObject();
        json.name("name").value(answer.entry().name());
        json.name("location").value(answer.entry().location());
        json.name("available").value(answer.isAvailable());
        json.name("detail").value(answer.detail());
        json.endObject();
      }
      json.endArray().name("devices").beginArray();
      for (Answer answer : answers) {
        for (DeviceInfo device : answer.devices()) {
          printJson(device, json);
        }
      }
      json.endArray().endObject();
    } catch (IOException e) {
      throw new AssertionError("a string cannot fail", e);
    }
    out.println(text);
  }

  private static void printJson(DeviceInfo device, JsonWriter json) throws IOException {
    json.beginObject();
    json.name("uri").value(device.uri());
    json.name("driver").value(device.driver());
    json.name("index").value(device.index());
    json.name("name").value(device.name());
    json.name("uuid").value(device.uuid());
    json.name("pciAddress").value(device.pciAddress());
    json.name("memoryBytes").value(device.memoryBytes());
    Workgroups grid = device.maxWorkgroupCount();
    json.name("maxWorkgroupCount").beginArray().value(grid.x()).value(grid.y()).value(grid.z());
    json.endArray();
    json.name("maxWorkgroupSize").value(device.maxWorkgroupSize());
    json.name("properties").beginObject();
    for (Map.Entry<String, String> property : new TreeMap<>(device.properties()).entrySet()) {
      json.name(property.getKey()).value(property.getValue());
    }
    json.endObject().endObject();
  }
}
