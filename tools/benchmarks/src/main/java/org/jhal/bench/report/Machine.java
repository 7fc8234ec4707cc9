// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.report;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.Device;
import org.jhal.DriverRegistry;
import org.jhal.Hal;
import org.jhal.Setting;

/** The facts that results depend on. */
public final class Machine {
  private Machine() {}

  /** The facts about this machine, this JVM and {@code device}. */
  public static Map<String, String> facts(String uri, Device device) {
    Runtime runtime = Runtime.getRuntime();
    List<String> collectors = new ArrayList<>();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collectors.add(collector.getName());
    }
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("device", fact(uri, device));
    facts.put("driver", device.info().driver() + ", " + driver(device));
    String version = Hal.class.getPackage().getImplementationVersion();
    facts.put("jhal", version == null ? "unpackaged" : version);
    facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put("cores", String.valueOf(runtime.availableProcessors()));
    facts.put(
        "system",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + ", "
            + System.getProperty("os.arch"));
    facts.put("jvm", System.getProperty("java.vm.name") + " " + Runtime.version());
    facts.put(
        "heap",
        "at most " + (runtime.maxMemory() >> 20) + " MiB, " + String.join(", ", collectors));
    return facts;
  }

  /** The facts about {@code device}. */
  public static String fact(String uri, Device device) {
    List<String> settings = new ArrayList<>();
    for (Setting setting : device.settings()) {
      settings.add(setting.name() + "=" + setting.value());
    }
    return uri + ", " + device.info().name() + ", " + String.join(" ", settings);
  }

  /** What the driver found, with the versions of its runtime. */
  private static String driver(Device device) {
    DriverRegistry registry = DriverRegistry.load();
    return registry.driver(device.info().driver()).probe().detail();
  }

  /** The load of the whole machine during the last minute, if the system reports it. */
  public static String load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.1f", load);
  }
}
