// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.CollectiveGroup;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.Driver;
import org.jhal.DriverRegistry;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.Need;
import org.jhal.cts.run.report.CodeHash;
import org.jhal.cts.run.report.RunFacts;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;

/** Collects the context of a run, for its report. */
final class FactCollector {
  /** A class of each jar that drivers share beside that of the engine, by the jar's role. */
  private static final Map<String, String> BESIDES_THE_ENGINE =
      Map.of("kernels", "org.jhal.kernels.bundle.Manifest");

  private FactCollector() {}

  /** Adds what was requested, and the properties of this process. */
  static void addRun(
      RunRecord record,
      String tests,
      int repeat,
      boolean isFailFast,
      boolean verifiesExpectedFailures,
      long seed) {
    record.addFact(RunFacts.VERSION, RunFacts.version());
    record.addFact(
        "java",
        System.getProperty("java.vm.version")
            + ", "
            + System.getProperty("java.vm.name")
            + ", "
            + System.getProperty("java.vendor"));
    record.addFact(
        "system",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    record.addFact("time", Instant.now().toString());
    record.addFact("seed", String.valueOf(seed));
    record.addFact(RunFacts.TESTS, tests);
    record.addFact(RunFacts.REPEAT, String.valueOf(repeat));
    record.addFact("run.fail-fast", yesOrNo(isFailFast));
    record.addFact("run.verify-expected-failures", yesOrNo(verifiesExpectedFailures));
    record.addFact("run.limit", Waits.LIMIT.toSeconds() + " s for each wait of a test");
    Map<String, String> properties = new TreeMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("jhal.") && !name.equals(RunFacts.TERMINAL_PROPERTY)) {
        properties.put(name, System.getProperty(name));
      }
    }
    properties.forEach((name, value) -> record.addFact("property." + name, value));
    addCode(record, "suite", CodeHash.of(CtsRun.class));
    addCode(record, "api", CodeHash.of(Hal.class));
    String variants = System.getProperty(CtsBackend.VARIANTS_PROPERTY);
    if (variants != null) {
      addCode(record, "variants", CodeHash.ofFolder(variants));
    }
  }

  /** Opens the device, and adds the properties of it and its driver. */
  static void addDevice(RunRecord record, CtsBackend tested, String uri) {
    try (Device device = tested.open(uri)) {
      DeviceInfo info = device.info();
      record.addFact("driver", info.driver());
      addDriver(info.driver(), record);
      addCode(record, "engine", CodeHash.of(device.getClass()));
      codeBesides(device.getClass().getClassLoader(), BESIDES_THE_ENGINE)
          .forEach((role, code) -> addCode(record, role, code));
      addCollectives(record, device);
      if (!tested.getClass().isSynthetic()) { // otherwise, there is none, only defaults
        addCode(record, "backend", CodeHash.of(tested.getClass()));
      }
      record.addFact("name", info.name());
      record.addFact("uuid", info.uuid());
      if (info.pciAddress() != null) {
        record.addFact("pci", info.pciAddress());
      }
      record.addFact("memory", info.memoryBytes() + " bytes");
      record.addFact("capabilities", device.capabilities().stream().sorted().toList().toString());
      record.addFact("formats", device.executableFormats().stream().sorted().toList().toString());
      record.addFact("queues", String.valueOf(device.queueCount()));
      Set<Need> lacks = EnumSet.copyOf(RunFacts.DECLARED);
      lacks.removeIf(need -> isDeclaredPresent(need, device, tested));
      record.addFact(RunFacts.LACKS, lacks.toString());
      record.addFact(RunFacts.CONTROLS, yesOrNo(tested.controls(device).isPresent()));
      new TreeMap<>(info.properties()).forEach((k, v) -> record.addFact("device." + k, v));
      device
          .settings()
          .forEach(s -> record.addFact("setting." + s.name(), s.value() + " (" + s.origin() + ")"));
    }
  }

  /**
   * Whether the device or the backend does not report that it lacks a {@link RunFacts#DECLARED}
   * need.
   */
  static boolean isDeclaredPresent(Need need, Device device, CtsBackend tested) {
    return switch (need) {
      case THREE_QUEUES -> device.info().maxQueues() > 2;
      case KERNEL_FAILURES -> device.info().reportsKernelFailures();
      case FOREIGN_MEMORY -> tested.reportsForeignMemory();
      default -> throw new IllegalArgumentException(need + " is not declared");
    };
  }

  private static String yesOrNo(boolean is) {
    return is ? "yes" : "no";
  }

  /** Adds the hash of what carries out collectives, which may be in a jar of its own. */
  private static void addCollectives(RunRecord record, Device device) {
    CodeHash code;
    try (CollectiveGroup group =
        CollectiveGroup.of(List.of(device), CollectiveGroup.Options.DEFAULT.withHostOnly())) {
      code = CodeHash.of(group.getClass());
    } catch (HalException e) {
      return; // there is none, as the tests of groups say
    }
    addCode(record, "collectives", code);
  }

  /** Adds the location and the hash of the driver, and the result of its probe. */
  private static void addDriver(String name, RunRecord record) {
    DriverRegistry registry = DriverRegistry.load();
    for (DriverRegistry.Entry entry : registry.entries()) {
      if (entry.problem() == null && entry.name().equals(name)) {
        Driver driver = registry.driver(name);
        record.addFact("driver.version", driver.probe().detail());
        record.addFact("driver.location", entry.location());
        driverCode(driver.getClass()).forEach((role, code) -> addCode(record, role, code));
      }
    }
  }

  /**
   * The code of a driver by its role in the report: what the driver's class was loaded from, and
   * each other jar or folder with a class that it extends.
   */
  static Map<String, CodeHash> driverCode(Class<?> driver) {
    Map<String, CodeHash> code = new LinkedHashMap<>();
    code.put("driver", CodeHash.of(driver));
    for (Class<?> base = driver.getSuperclass();
        base != null && base != Object.class;
        base = base.getSuperclass()) {
      CodeHash more = CodeHash.of(base);
      if (!code.containsValue(more)) {
        code.put(code.size() == 1 ? "driver.base" : "driver.base" + code.size(), more);
      }
    }
    return code;
  }

  /**
   * The code of those classes that a class loader finds, by their roles.
   *
   * @param classes the name of a class for each role
   */
  static Map<String, CodeHash> codeBesides(
      @Nullable ClassLoader loader, Map<String, String> classes) {
    Map<String, CodeHash> code = new TreeMap<>();
    classes.forEach(
        (role, name) -> {
          try {
            code.put(role, CodeHash.of(Class.forName(name, false, loader)));
          } catch (ClassNotFoundException e) {
            return; // a driver may have an engine of its own
          }
        });
    return code;
  }

  /** Adds a hash, and what was hashed. */
  private static void addCode(RunRecord record, String role, CodeHash code) {
    record.addFact("sha256." + role, code.sha256());
    record.addFact("file." + role, code.what());
  }
}
