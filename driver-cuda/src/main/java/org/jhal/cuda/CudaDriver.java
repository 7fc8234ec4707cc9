package org.jhal.cuda;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import jcuda.driver.JCudaDriver;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.utils.DeviceBackend;
import org.jhal.utils.DeviceSelector;
import org.jhal.utils.EngineDevice;
import org.jhal.utils.EngineOptions;
import org.jhal.utils.Once;
import org.jhal.utils.Option;
import org.jhal.utils.Settings;

/** The driver of {@link CudaDevice}s. */
class CudaDriver implements Driver {
  private static final EngineOptions ENGINE =
      new EngineOptions(2, Duration.ofNanos(50_000), Duration.ofNanos(20_000));
  private static final Option<Long> MEMORY =
      Option.bytes(
          "memory",
          1L << 50,
          0,
          1L << 50,
          "how much device memory JHAL uses at most; never more than there is");

  /** Asked once, as devices do not come and go. */
  private final Once<List<CudaAttributes>> devices = new Once<>();

  @Override
  public String name() {
    return CudaDriverProvider.NAME;
  }

  @Override
  public Availability probe() {
    try {
      List<CudaAttributes> found = find();
      return Availability.available(
          "CUDA "
              + CudaLibrary.load().version()
              + " with "
              + found.size()
              + (found.size() == 1 ? " device" : " devices"));
    } catch (HalException e) {
      return Availability.unavailable(e.getMessage());
    }
  }

  private List<CudaAttributes> find() {
    return devices.get(
        () -> {
          CudaLibrary library = CudaLibrary.load();
          int[] count = new int[1];
          CudaResult.check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
          if (count[0] == 0) {
            throw new HalException(
                Status.UNAVAILABLE, "the NVIDIA driver (" + library.path() + ") has no device");
          }
          return IntStream.range(0, count[0])
              .mapToObj(i -> CudaAttributes.read(library, name(), i))
              .toList();
        });
  }

  private static Settings settings(DeviceUri uri) {
    List<Option<?>> options = new ArrayList<>(ENGINE.all());
    options.add(MEMORY);
    return Settings.resolve(CudaDriverProvider.NAME, options, uri);
  }

  private List<CudaAttributes> devices(Settings settings) {
    long memory = settings.get(MEMORY);
    return find().stream().map(device -> device.withMemory(memory)).toList();
  }

  @Override
  public List<DeviceInfo> devices(DeviceUri uri) {
    return devices(settings(uri)).stream().map(CudaAttributes::info).toList();
  }

  @Override
  public Device open(DeviceUri uri) {
    Settings settings = settings(uri);
    List<CudaAttributes> devices = devices(settings);
    DeviceInfo info =
        DeviceSelector.select(uri, devices.stream().map(CudaAttributes::info).toList());
    CudaDevice device = new CudaDevice(devices.get(info.index()));
    return new EngineDevice<>(backend(device), ENGINE.configure(settings), settings.toList());
  }

  /** What the engine is given for a device; a test may put something in between. */
  DeviceBackend<CudaEvent> backend(CudaDevice device) {
    return device;
  }
}
