// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.Architecture;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.runtime.PrebuiltRuntime;
import org.jhal.cpu.runtime.Runtimes;
import org.jhal.cpu.translate.Level;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.CacheOption;
import org.jhal.driver.options.CheckOption;
import org.jhal.driver.options.ConfiguredDriver;
import org.jhal.driver.options.EngineOptions;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.HostEvent;
import org.jhal.engine.EngineDevice;
import org.jhal.kernels.check.KernelChecks;
import org.jspecify.annotations.Nullable;

/** The driver of {@link CpuDevice}s. */
class CpuDriver extends ConfiguredDriver {
  static final String NAME = "cpu";

  private static final EngineOptions ENGINE =
      new EngineOptions(2, Duration.ofNanos(20_000), Duration.ZERO);
  private static final String AUTO = "auto";
  private static final Option<Long> DEVICES =
      Option.integer("devices", 1, 1, 64, "devices", "how many devices there are");
  private static final Option<Long> MEMORY =
      Option.bytes("memory", physicalMemory(), 0, 1L << 50, "how much memory each device has");
  private static final Option<Long> THREADS =
      Option.integer(
          "threads",
          Runtime.getRuntime().availableProcessors(),
          1,
          1024,
          "threads",
          "how many threads run kernels");
  private static final Option<String> BARRIERS =
      Option.choice(
          "barriers",
          AUTO,
          List.of(AUTO, "fission", "coroutine", "fiber"),
          "how the work items of a workgroup wait for each other");
  private static final Option<String> COMPILER =
      Option.text(
          "compiler",
          "",
          "the C++ compiler, a file or a name on the PATH, or 'none'; searched for if not given");

  CpuDriver() {
    super(
        NAME,
        ENGINE,
        List.of(
            DEVICES,
            MEMORY,
            THREADS,
            BARRIERS,
            COMPILER,
            CheckOption.CHECK,
            CheckOption.MODE,
            CacheOption.FOLDER));
  }

  private static long physicalMemory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }

  @Override
  public Availability probe() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return Availability.unavailable("this driver is for Linux");
    }
    String obstacle = Runtimes.obstacle();
    if (!obstacle.isEmpty()) {
      return Availability.unavailable(obstacle);
    }
    CpuFeatures cpu = CpuFeatures.machine();
    CompilerChoice choice;
    try {
      choice = compiler(settings(DeviceUri.parse(NAME)));
    } catch (HalException e) { // a wrong property or variable; a URI may have another value
      return Availability.available(String.valueOf(e.getMessage()));
    }
    if (choice.compiler() != null) {
      return Availability.available("kernels are compiled by " + choice);
    }
    return PrebuiltRuntime.find(cpu.kind()) == null
        ? Availability.unavailable(KernelCompiler.noRuntime(choice, cpu))
        : Availability.available(
            choice.absence() + ", so only prebuilt kernels and kernels in Java run");
  }

  private static CompilerChoice compiler(Settings settings) {
    return CompilerChoice.of(settings.get(COMPILER), settings.origin(COMPILER));
  }

  @Override
  protected List<DeviceInfo> devices(Settings settings) {
    List<DeviceInfo> devices = new ArrayList<>();
    for (int i = 0; i < settings.getInt(DEVICES); i++) {
      String uuid =
          UUID.nameUUIDFromBytes(("jhal cpu device " + i).getBytes(StandardCharsets.UTF_8))
              .toString();
      devices.add(
          DeviceInfo.builder(NAME, i)
              .name(CpuFeatures.machine().name())
              .uuid(uuid)
              .memoryBytes(settings.get(MEMORY))
              .maxWorkgroupCount(new Workgroups(Integer.MAX_VALUE, 65_535, 65_535))
              .maxWorkgroupItems(1024)
              .maxWorkgroupSize(new Workgroups(1024, 1024, 64)) // as on most devices
              .maxSharedMemory(1 << 20)
              .computesOnHost(true)
              .properties(properties(settings))
              .build());
    }
    return devices;
  }

  private static Map<String, String> properties(Settings settings) {
    return Map.of(
        "threads", String.valueOf(settings.get(THREADS)),
        "cores", String.valueOf(Runtime.getRuntime().availableProcessors()),
        "compiler", compiler(settings).toString(),
        "architecture",
            CpuFeatures.machine()
                .highest()
                .map(Architecture::label)
                .orElse(CpuFeatures.machine().kind()));
  }

  @Override
  public Device open(DeviceUri uri) {
    Settings settings = settings(uri);
    DeviceInfo info = select(uri, settings);
    String barriers = settings.get(BARRIERS);
    @Nullable Level forced =
        barriers.equals(AUTO) ? null : Level.valueOf(barriers.toUpperCase(Locale.ROOT));
    @Nullable KernelChecks checks = CheckOption.checks(settings);
    @Nullable CpuCheck check = checks == null ? null : new CpuCheck(checks);
    CpuDevice device =
        CpuDevice.open(
            info,
            settings.getInt(THREADS),
            new KernelCompiler(
                compiler(settings),
                CacheOption.cache(settings),
                forced,
                CpuFeatures.machine(),
                check),
            check,
            this::execution);
    return new EngineDevice<>(backend(device), ENGINE.configure(settings), settings.toList());
  }

  /** What carries out the commands of a stream; tests have one whose commands fail on purpose. */
  CpuExecution execution(CpuDevice device, CpuThreads threads) {
    return new CpuExecution(device, threads);
  }

  /** What the engine gets; tests have one whose calls fail on purpose. */
  DeviceBackend<HostEvent> backend(CpuDevice device) {
    return device;
  }
}
