// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.CacheOption;
import org.jhal.driver.options.ConfiguredDriver;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.Lazy;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.graph.GraphOptions;
import org.jhal.gpu.memory.UploadMemory;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.NativeBinding;
import org.jhal.gpu.natives.Profile;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.kernels.cache.KernelCache;
import org.jspecify.annotations.Nullable;

/**
 * A driver whose devices are based on {@link GpuRuntime}.
 *
 * <p>Thread-safe.
 */
public abstract class GpuDriver extends ConfiguredDriver {
  private static final System.Logger LOG = System.getLogger(GpuDriver.class.getName());

  private static final Option<String> RANGES =
      Option.choice(
          "ranges",
          "off",
          List.of("off", "on"),
          "whether each operation is marked as a range for the vendor's profiler");

  /** Wraps a device, for tests. */
  @FunctionalInterface
  public interface Interposer {
    /** Returns the backend for the engine. */
    DeviceBackend<GpuEvent> before(GpuDevice device);
  }

  /** Read once: devices are not added or removed at run time. */
  private final Lazy<List<GpuProperties>> devices = new Lazy<>();

  private final BindingOption binding;

  /**
   * For subclasses.
   *
   * @param binding the name of the driver's own binding, for the option
   */
  protected GpuDriver(String name, String binding) {
    this(name, new BindingOption(binding));
  }

  private GpuDriver(String name, BindingOption binding) {
    super(name, GpuOptions.ENGINE, options(binding));
    this.binding = binding;
  }

  private static List<Option<?>> options(BindingOption binding) {
    List<Option<?>> options =
        new ArrayList<>(
            List.of(
                GpuOptions.MEMORY, CacheOption.FOLDER, GpuOptions.STAGING, Profile.OPTION, RANGES));
    options.addAll(GraphOptions.all());
    options.add(binding.option());
    return options;
  }

  /**
   * The native runtime. The first call in a process loads and initialises it.
   *
   * @throws HalException UNAVAILABLE with the reason if there is none that can be used, or no
   *     device; the same in each call
   */
  protected abstract GpuLibrary load();

  /** Makes what reads the properties of the devices of {@link #load}. */
  protected abstract DeviceReader reader();

  /**
   * Opens a device of {@link #load}.
   *
   * @param calls the binding of the functions that its operations call; null for the driver's own
   */
  protected abstract GpuRuntime openRuntime(GpuProperties device, @Nullable NativeBinding calls);

  /**
   * Searches for the compiler's files as {@link KernelLoader#compilerFiles} does, without native
   * functions and without anything that opening a device waits for.
   */
  protected abstract void warmUpCompiler();

  /**
   * Loads the library for ranges in the vendor's profiler. Called only if they are wanted.
   *
   * @throws HalException UNAVAILABLE with the reason if it cannot be loaded
   */
  protected abstract RangeMarks rangeMarks();

  /** Null without the library: nothing is marked then. */
  private @Nullable RangeMarks rangeMarks(Settings settings) {
    if (settings.get(RANGES).equals("off")) {
      return null;
    }
    try {
      return rangeMarks();
    } catch (HalException e) {
      LOG.log(Level.WARNING, name() + ": no ranges are marked: " + e.getMessage());
      return null;
    }
  }

  @Override
  public final Availability probe() {
    try {
      int count = find(BindingOption.auto()).size();
      return Availability.available(
          load().title() + " with " + count + (count == 1 ? " device" : " devices"));
    } catch (HalException e) {
      return Availability.unavailable(e.getMessage());
    }
  }

  /**
   * The devices.
   *
   * @throws HalException as {@link #load}, or if the driver's own binding is to be used and cannot
   */
  private List<GpuProperties> find(@Nullable NativeBinding calls) {
    if (calls == null) {
      load().vendor().codes().functions().calls(null);
    }
    return devices.get(
        () -> {
          int count = load().countDevices();
          return IntStream.range(0, count).mapToObj(i -> reader().read(i, count)).toList();
        });
  }

  @Override
  protected final List<DeviceInfo> devices(Settings settings) {
    long memory = settings.get(GpuOptions.MEMORY);
    String calls = binding.describe(settings);
    return find(binding.choose(settings)).stream()
        .map(device -> device.withMemory(memory).withBinding(calls).info())
        .toList();
  }

  @Override
  public final Device open(DeviceUri uri) {
    return open(uri, device -> device);
  }

  /**
   * How many closed buffers of write-combined memory in this process still have uncollected views.
   * Each keeps its runtime open. For tests.
   */
  public static int closedBuffersInUse() {
    return UploadMemory.waiting();
  }

  /** Opens a device that {@code interposer} wraps; for tests. */
  public final Device open(DeviceUri uri, Interposer interposer) {
    return PlatformThreads.call(name() + "-open", () -> openHere(uri, interposer));
  }

  private Device openHere(DeviceUri uri, Interposer interposer) {
    Settings settings = settings(uri);
    EngineConfig engine = GpuOptions.ENGINE.configure(settings);
    KernelCache cache = CacheOption.cache(settings);
    if (cache != null) {
      KernelLoader.warmUp(cache, this::warmUpCompiler);
    }
    NativeBinding calls = binding.choose(settings);
    GpuProperties found = find(calls).get(select(uri, settings).index());
    GpuProperties device =
        found.withMemory(settings.get(GpuOptions.MEMORY)).withBinding(binding.describe(settings));
    GpuDevice.Config config =
        new GpuDevice.Config(
            cache,
            GraphOptions.of(settings),
            settings.get(GpuOptions.STAGING),
            engine.copyThreads(),
            Profile.of(settings.get(Profile.OPTION)),
            rangeMarks(settings));
    GpuDevice opened = new GpuDevice(openRuntime(device, calls), device, config);
    return new EngineDevice<>(interposer.before(opened), engine, settings.toList());
  }
}
