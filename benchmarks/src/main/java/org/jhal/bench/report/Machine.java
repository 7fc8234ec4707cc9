package org.jhal.bench.report;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.Device;
import org.jhal.Setting;

/** What results depend on. */
public final class Machine {
  private Machine() {}

  /** What there is to know of this machine, this JVM and {@code device}. */
  public static Map<String, String> facts(String uri, Device device) {
    Runtime runtime = Runtime.getRuntime();
    List<String> collectors = new ArrayList<>();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collectors.add(collector.getName());
    }
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("device", fact(uri, device));
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

  /** What there is to know of {@code device}. */
  public static String fact(String uri, Device device) {
    List<String> settings = new ArrayList<>();
    for (Setting setting : device.settings()) {
      settings.add(setting.name() + "=" + setting.value());
    }
    return uri + ", " + device.info().name() + ", " + String.join(" ", settings);
  }

  /** How many threads of the whole machine wanted to run during the last minute, if it tells. */
  public static String load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.1f", load);
  }
}
