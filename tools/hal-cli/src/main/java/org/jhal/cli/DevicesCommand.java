// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.DriverRegistry;
import org.jhal.DriverRegistry.Addresses;
import org.jhal.DriverRegistry.Answer;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Workgroups;
import org.jhal.cli.text.Table;
import org.jhal.cli.text.Units;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hal devices}: what can be opened on this machine, and why the rest cannot. */
@Command(
    name = "devices",
    description = "Lists the devices of all drivers, and why a driver cannot be used.")
final class DevicesCommand implements Callable<Integer> {
  /** Vendors' runtimes take many seconds to start on machines with many idle devices. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Prints one JSON object instead of a table.")
  private boolean json;

  @Option(
      names = "--spark",
      paramLabel = "NAME",
      description = {
        "Prints one line for a discovery script of Apache Spark: the resource NAME, whose addresses"
            + " are URIs of devices. These are the devices of all drivers that do not compute on"
            + " the host, or of those that --drivers names."
      })
  private @Nullable String spark;

  @Option(
      names = "--drivers",
      paramLabel = "LIST",
      description = {
        "With --spark: whose devices, such as cuda, or mock://?devices=2; separated by commas."
      })
  private @Nullable String drivers;

  @Override
  public Integer call() throws InterruptedException {
    if (spark != null) {
      printAddresses(spark, drivers == null ? "" : drivers);
      return ExitCode.SUCCESS;
    }
    if (drivers != null) {
      throw new ParameterException(spec.commandLine(), "--drivers needs --spark");
    }
    DriverRegistry registry = DriverRegistry.load();
    List<Answer> answers = registry.probeAll(PATIENCE);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      printJson(answers, out);
    } else {
      printTable(registry, answers, out);
    }
    out.flush();
    return ExitCode.SUCCESS;
  }

  private void printAddresses(String name, String drivers) throws InterruptedException {
    if (name.isBlank()) {
      throw new ParameterException(
          spec.commandLine(), "--spark '" + name + "' is not the name of a resource, such as gpu");
    }
    if (json) {
      throw new ParameterException(
          spec.commandLine(), "--json and --spark exclude each other: --spark prints JSON as well");
    }
    Addresses found;
    try {
      found = DriverRegistry.load().addresses(drivers, PATIENCE);
    } catch (HalException e) {
      throw CommandFailure.ofUri(e);
    }
    PrintWriter err = spec.commandLine().getErr();
    if (found.uris().isEmpty()) {
      err.println("no device");
      found.reasons().forEach(err::println);
      err.flush();
    }
    StringWriter text = new StringWriter();
    try (JsonWriter line = new JsonWriter(text)) {
      line.beginObject().name("name").value(name).name("addresses").beginArray();
      for (DeviceUri uri : found.uris()) {
        line.value(uri.toString());
      }
      line.endArray().endObject();
    } catch (IOException e) {
      throw new AssertionError("a string cannot fail", e);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }

  private static void printTable(DriverRegistry registry, List<Answer> answers, PrintWriter out) {
    Table table = new Table();
    if (answers.isEmpty()) {
      table.row("no driver on the class path");
    }
    for (Answer answer : answers) {
      if (!answer.availability().isAvailable()) {
        table.row(answer.entry().name(), "unavailable: " + answer.availability().detail());
      } else if (answer.devices().isEmpty()) {
        table.row(answer.entry().name(), "no devices: " + answer.availability().detail());
      }
      for (DeviceInfo device : answer.devices()) {
        table.row(device.uri(), device.name(), Units.bytes(device.memoryBytes()), device.uuid());
      }
    }
    table.print(out);
    printDrivers(registry, answers, out);
  }

  /** Prints what usable drivers say about themselves, and which device is opened without a name. */
  private static void printDrivers(DriverRegistry registry, List<Answer> answers, PrintWriter out) {
    Table table = new Table();
    for (Answer answer : answers) {
      if (!answer.devices().isEmpty()) {
        table.row(answer.entry().name(), answer.availability().detail());
      }
    }
    out.println();
    table.print(out);
    String configured = Hal.configuredDevice().orElse(null);
    if (configured != null) {
      out.println();
      out.printf(
          "Without a name, JHAL opens '%s', by the property %s or the variable %s.%n",
          configured, Hal.DEVICE_PROPERTY, Hal.DEVICE_VARIABLE);
    } else {
      registry
          .defaultAmong(answers)
          .ifPresent(
              first -> {
                out.println();
                out.println("Without a name, JHAL opens " + first.uri() + ".");
              });
    }
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
        json.name("available").value(answer.availability().isAvailable());
        json.name("detail").value(answer.availability().detail());
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
    json.name("maxAllocationBytes").value(device.maxAllocationBytes());
    printAxes("maxWorkgroupCount", device.maxWorkgroupCount(), json);
    json.name("maxWorkgroupItems").value(device.maxWorkgroupItems());
    printAxes("maxWorkgroupSize", device.maxWorkgroupSize(), json);
    json.name("maxSharedMemory").value(device.maxSharedMemory());
    json.name("maxArgumentBytes").value(device.maxArgumentBytes());
    json.name("maxQueues").value(device.maxQueues());
    json.name("reportsKernelFailures").value(device.reportsKernelFailures());
    json.name("computesOnHost").value(device.computesOnHost());
    json.name("properties").beginObject();
    for (Map.Entry<String, String> property : new TreeMap<>(device.properties()).entrySet()) {
      json.name(property.getKey()).value(property.getValue());
    }
    json.endObject().endObject();
  }

  private static void printAxes(String name, Workgroups axes, JsonWriter json) throws IOException {
    json.name(name).beginArray().value(axes.x()).value(axes.y()).value(axes.z()).endArray();
  }
}
