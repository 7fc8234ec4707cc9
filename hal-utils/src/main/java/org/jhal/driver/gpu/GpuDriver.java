package org.jhal.driver.gpu;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.HalException;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.DeviceSelector;
import org.jhal.driver.options.EngineOptions;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jhal.driver.support.Once;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.EngineDevice;

/**
 * The driver of devices that are {@link GpuRuntime}s when they are open.
 *
 * <p>Thread-safe.
 */
public abstract class GpuDriver implements Driver {
  private static final EngineOptions ENGINE =
      new EngineOptions(2, Duration.ofNanos(50_000), Duration.ofNanos(20_000));
  private static final Option<Long> MEMORY =
      Option.bytes(
          "memory",
          1L << 50,
          0,
          1L << 50,
          "how much device memory JHAL uses at most; never more than there is");

  private static final Interposer NOTHING_BETWEEN =
      new Interposer() {
        @Override
        public <E> DeviceBackend<GpuEvent<E>> before(GpuDevice<?, E, ?> device) {
          return device;
        }
      };

  /** Puts something between the engine and a device. */
  public interface Interposer {
    /** What the engine is given for the device. */
    <E> DeviceBackend<GpuEvent<E>> before(GpuDevice<?, E, ?> device);
  }

  private final String name;

  /** Asked once, as devices do not come and go. */
  private final Once<List<GpuProperties>> devices = new Once<>();

  /** The driver that is called so in device names. */
  protected GpuDriver(String name) {
    this.name = name;
  }

  /** The native runtime and its version, for people: loads and initialises it. */
  protected abstract String version();

  /**
   * How many devices there are; at least one.
   *
   * @throws HalException UNAVAILABLE with the reason if there is no native library, or no device
   */
  protected abstract int count();

  /** What asks for what is known of its devices. */
  protected abstract DeviceReader reader();

  /** Opens a device. */
  protected abstract GpuRuntime<?, ?, ?> openRuntime(GpuProperties device);

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Availability probe() {
    try {
      int count = find().size();
      return Availability.available(
          version() + " with " + count + (count == 1 ? " device" : " devices"));
    } catch (HalException e) {
      return Availability.unavailable(e.getMessage());
    }
  }

  private List<GpuProperties> find() {
    return devices.get(
        () -> {
          int count = count(); // which loads the runtime
          return IntStream.range(0, count).mapToObj(reader()::read).toList();
        });
  }

  private Settings settings(DeviceUri uri) {
    List<Option<?>> options = new ArrayList<>(ENGINE.all());
    options.add(MEMORY);
    return Settings.resolve(name, options, uri);
  }

  private List<GpuProperties> devices(Settings settings) {
    long memory = settings.get(MEMORY);
    return find().stream().map(device -> device.withMemory(memory)).toList();
  }

  @Override
  public final List<DeviceInfo> devices(DeviceUri uri) {
    return devices(settings(uri)).stream().map(GpuProperties::info).toList();
  }

  @Override
  public final Device open(DeviceUri uri) {
    return open(uri, NOTHING_BETWEEN);
  }

  /**
   * How many closed buffers of write-combined memory there are in this process of which views are
   * still in use, or not collected yet. They keep what the runtime needs for them. For tests.
   */
  public static int closedBuffersInUse() {
    return UploadMemory.waiting();
  }

  /** Opens a device with something between it and the engine; for tests. */
  public final Device open(DeviceUri uri, Interposer interposer) {
    return PlatformThreads.call(name + "-open", () -> openHere(uri, interposer));
  }

  private Device openHere(DeviceUri uri, Interposer interposer) {
    Settings settings = settings(uri);
    List<GpuProperties> found = devices(settings);
    DeviceInfo info = DeviceSelector.select(uri, found.stream().map(GpuProperties::info).toList());
    GpuProperties device = found.get(info.index());
    return open(openRuntime(device), device, settings, interposer);
  }

  private <S, E, K> Device open(
      GpuRuntime<S, E, K> runtime, GpuProperties device, Settings settings, Interposer interposer) {
    return new EngineDevice<>(
        interposer.before(new GpuDevice<>(runtime, device)),
        ENGINE.configure(settings),
        settings.toList());
  }

  @Override
  public String toString() {
    return "driver " + name;
  }
}
