// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jhal.cli.drivers.Unplugged;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of {@code hal} about drivers and devices, some of which cannot be used. */
class ListingTest {
  @Test
  void devicesRefusesAnInvalidResourceName() {
    for (String name : new String[] {"", " "}) {
      hal("devices", "--spark", name)
          .failed(2, "INVALID_ARGUMENT", "'" + name + "' is not the name");
      hal("devices", "--spark=" + name).failed(2, "INVALID_ARGUMENT");
    }
  }

  @Test
  void driversListsLocationsAndStartsNoDriver() {
    int starts = Unplugged.starts();
    String out = hal("drivers").succeeded().out();
    line(out, "^org\\.jhal\\.cli\\.drivers\\.Broken +/.+ problem: .*broken on purpose.*");
    line(out, "^faulty +/.+/test-classes/?");
    line(out, "^outdated +/.+ problem: made for API version 0\\.9, .*");
    line(out, "^unplugged +/.+/test-classes/?");
    assertEquals(starts, Unplugged.starts());
  }

  @Test
  void devicesListsDevicesAndExplainsUnusableDrivers() {
    String out = hal("devices").succeeded().out();
    line(out, "^org\\.jhal\\.cli\\.drivers\\.Broken +unavailable: .*broken on purpose.*");
    line(out, "^faulty +unavailable: .*no faulty in java.library.path.*");
    line(out, "^outdated +unavailable: made for API version 0\\.9.*");
    line(out, "^unplugged +unavailable: libunplugged.so not found");
    line(out, "^toy://0 +Toy \"0\" +1\\.5 GiB +uuid-0");
    line(out, "^toy://1 +Toy \"1\" +1\\.5 GiB +uuid-1");
    line(out, "^toy +toys 1\\.0");
    line(out, "^mock +computes on the CPU with Java .*");
    line(out, "^Without a name, JHAL opens toy://0\\.");
  }

  @Test
  void devicesNamesTheConfiguredDefault() {
    System.setProperty("jhal.device", "mock://0?queues=2");
    try {
      line(hal("devices").succeeded().out(), "^Without a name, .* 'mock://0\\?queues=2', by .*");
    } finally {
      System.clearProperty("jhal.device");
    }
  }

  @Test
  void devicesNamesADamagedJar(@TempDir Path folder) throws Exception {
    Path jar = Files.writeString(folder.resolve("driver-new.jar"), "no zip");
    String classPath = System.getProperty("java.class.path") + File.pathSeparator + jar;
    for (String command : new String[] {"drivers", "devices"}) {
      Outcome outcome = Outcome.java(folder, "-cp", classPath, Main.class.getName(), command);
      line(outcome.succeeded().out(), "^driver-new\\.jar +.*: the jar cannot be read: .+");
    }
    Outcome.java(folder, "-cp", classPath, Main.class.getName(), "info", "new")
        .failed(3, "no driver 'new'", "driver-new.jar (unavailable: the jar cannot be read: ");
  }

  private static void line(String out, String pattern) {
    assertTrue(
        out.lines().anyMatch(line -> line.matches(pattern)), () -> "no " + pattern + " in\n" + out);
  }

  @Test
  void devicesPrintsJson() {
    JsonObject root =
        JsonParser.parseString(hal("devices", "--json").succeeded().out()).getAsJsonObject();
    JsonObject unplugged = find(root.getAsJsonArray("drivers"), "name", "unplugged");
    assertEquals("libunplugged.so not found", unplugged.get("detail").getAsString());
    assertEquals(false, unplugged.get("available").getAsBoolean());
    assertTrue(unplugged.has("location"));
    JsonObject toy = find(root.getAsJsonArray("drivers"), "name", "toy");
    assertEquals(true, toy.get("available").getAsBoolean());
    assertEquals("toys 1.0", toy.get("detail").getAsString());
    JsonObject device = find(root.getAsJsonArray("devices"), "uri", "toy://0");
    assertEquals(
        "{\"uri\":\"toy://0\",\"driver\":\"toy\",\"index\":0,\"name\":\"Toy \\\"0\\\"\","
            + "\"uuid\":\"uuid-0\",\"pciAddress\":\"0000:03:00.0\",\"memoryBytes\":1610612736,"
            + "\"maxAllocationBytes\":536870912,"
            + "\"maxWorkgroupCount\":[1,2,3],\"maxWorkgroupItems\":64,"
            + "\"maxWorkgroupSize\":[64,32,8],\"maxSharedMemory\":2147483647,"
            + "\"maxArgumentBytes\":2147483647,\"maxQueues\":2147483647,\"reportsKernelFailures\":true,"
            + "\"computesOnHost\":false,"
            + "\"properties\":{\"age\":\"3\",\"colour\":\"red\"}}",
        device.toString());
    assertTrue(
        find(root.getAsJsonArray("devices"), "uri", "toy://1").get("pciAddress").isJsonNull());
  }

  @Test
  void devicesPrintsAddressesForSparkInOneLine() {
    Outcome all = hal("devices", "--spark", "gpu").succeeded();
    assertEquals(
        "{\"name\":\"gpu\",\"addresses\":[\"toy://uuid-0\",\"toy://uuid-1\"]}\n",
        all.out().replace("\r", ""));
    assertEquals("", all.err());
    JsonObject mock =
        JsonParser.parseString(
                hal("devices", "--spark", "a b", "--drivers", "mock://?devices=2,toy")
                    .succeeded()
                    .out())
            .getAsJsonObject();
    assertEquals("a b", mock.get("name").getAsString());
    JsonArray addresses = mock.getAsJsonArray("addresses");
    assertEquals(4, addresses.size(), mock::toString);
    String second = addresses.get(1).getAsString();
    assertTrue(second.matches("mock://[0-9a-f-]{36}\\?devices=2"), second);
    line(hal("info", second).succeeded().out(), "^name +Mock device 1");
  }

  @Test
  void devicesExplainsMissingDriversForSpark() {
    hal("devices", "--spark", "gpu", "--drivers", "unplugged")
        .failed(3, "UNAVAILABLE", "libunplugged.so not found");
    hal("devices", "--spark", "gpu", "--drivers", "nosuch").failed(3, "no driver 'nosuch'");
    hal("devices", "--spark", "gpu", "--drivers", "mock://0").failed(2, "names a device");
    hal("devices", "--drivers", "mock").failed(2, "--drivers needs --spark");
    hal("devices", "--spark", "gpu", "--json").failed(2, "--json and --spark");
  }

  private static JsonObject find(JsonArray array, String key, String value) {
    List<JsonObject> found =
        array.asList().stream()
            .map(element -> element.getAsJsonObject())
            .filter(object -> object.get(key).getAsString().equals(value))
            .collect(Collectors.toList());
    assertEquals(1, found.size(), () -> value + " in " + array);
    return found.get(0);
  }

  @Test
  void infoExplainsAMissingDevice() {
    hal("info", "nosuch").failed(3, "NOT_FOUND", "no driver 'nosuch'", "libunplugged.so not found");
    hal("info", "unplugged").failed(3, "UNAVAILABLE", "libunplugged.so not found");
    hal("info", "faulty").failed(3, "UNAVAILABLE", "no faulty in java.library.path");
    hal("info", "outdated")
        .failed(3, "FAILED_PRECONDITION", "made for API version 0.9, this JHAL has version 1.");
    hal("info", "toy").failed(3, "UNAVAILABLE", "cannot be opened");
  }

  @Test
  void infoReportsAMalformedUriAsBadInput() {
    hal("info", "Toy").failed(2, "INVALID_ARGUMENT", "malformed device URI 'Toy'");
    hal("info", "toy:0").failed(2, "INVALID_ARGUMENT", "'toy:0'");
    hal("info", "toy://0?x").failed(2, "INVALID_ARGUMENT", "NAME=VALUE");
  }

  @Test
  void infoPrintsTheFormsOfAGroup() {
    String out = hal("info", "--group", "mock://0?devices=2,mock://1?devices=2").succeeded().out();
    line(out, "^0 +mock://0 .*");
    line(out, "^1 +mock://1 .*");
    line(out, "^all-reduce +all types +host +\\w.*");
    line(out, "^broadcast +bytes +host +\\w.*");
    hal("info", "mock", "--group", "mock").failed(2, "--group", "'mock'");
    hal("info", "--group", "mock,nosuch").failed(3, "NOT_FOUND", "nosuch");
    for (String list : List.of("mock,", ",mock", "mock,,mock", "mock, ", ",", "")) {
      hal("info", "--group", list)
          .failed(2, "INVALID_ARGUMENT", "--group '" + list + "' lacks a device");
    }
  }

  @Test
  void infoDescribesADevice() {
    String out = hal("info", "mock://?queues=3").succeeded().out();
    assertTrue(out.matches("(?s).*queues +3\\R.*"), out);
    assertTrue(out.matches("(?s).*formats +.*java.*"), out);
    line(out, "^memory +16\\.0 GiB");
    line(out, "^largest buffer +16\\.0 GiB");
    line(out, "^largest grid +2147483647,65535,65535 workgroups");
    line(out, "^largest workgroup +1024 items, at most 1024,1024,64");
    assertTrue(out.matches("(?s).*\\Rqueues +3 +uri +.*"), out);
  }
}
