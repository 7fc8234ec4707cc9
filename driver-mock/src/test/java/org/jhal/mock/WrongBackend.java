// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.engine.EngineDevice;
import org.jhal.mock.cts.MockCtsBackend;

/** The mock driver with a defect, as the conformance suite sees it. */
final class WrongBackend extends MockCtsBackend {
  private final UnaryOperator<String> asked;
  private final UnaryOperator<NativeStream<MockEvent>> stream;
  private final UnaryOperator<DeviceInfo> says;
  private final Function<Device, ForwardingDevice> device;

  private WrongBackend(
      UnaryOperator<String> asked,
      UnaryOperator<NativeStream<MockEvent>> stream,
      UnaryOperator<DeviceInfo> says,
      Function<Device, ForwardingDevice> device) {
    this.asked = asked;
    this.stream = stream;
    this.says = says;
    this.device = device;
  }

  private WrongBackend(
      UnaryOperator<String> asked,
      UnaryOperator<NativeStream<MockEvent>> stream,
      Function<Device, ForwardingDevice> device) {
    this(asked, stream, info -> info, device);
  }

  /** No defect, but every wrapper in which another backend has one. */
  static WrongBackend withoutDefect() {
    return new WrongBackend(uri -> uri, ForwardingStream::new, ForwardingDevice::new);
  }

  /** The driver does not do what a device URI requests. */
  static WrongBackend ofUri(UnaryOperator<String> asked) {
    return new WrongBackend(asked, ForwardingStream::new, ForwardingDevice::new);
  }

  /** The native streams are wrong. */
  static WrongBackend ofStream(UnaryOperator<NativeStream<MockEvent>> stream) {
    return new WrongBackend(uri -> uri, stream, ForwardingDevice::new);
  }

  /** The native streams are wrong, on a device that reorders unordered work. */
  static WrongBackend ofSwappingStream(UnaryOperator<NativeStream<MockEvent>> stream) {
    return new WrongBackend(WrongBackend::withSeed, stream, ForwardingDevice::new);
  }

  private static String withSeed(String uri) {
    DeviceUri asked = DeviceUri.parse(uri);
    Map<String, String> options = new TreeMap<>(asked.options());
    options.put("seed", "7");
    return new DeviceUri(asked.driver(), asked.selector(), options).toString();
  }

  /** The device reports other properties, and its native streams are different. */
  static WrongBackend thatSays(
      UnaryOperator<DeviceInfo> says, UnaryOperator<NativeStream<MockEvent>> stream) {
    return new WrongBackend(uri -> uri, stream, says, ForwardingDevice::new);
  }

  /** The device is wrong. */
  static WrongBackend ofDevice(Function<Device, ForwardingDevice> device) {
    return new WrongBackend(uri -> uri, ForwardingStream::new, device);
  }

  /** The queues are wrong. */
  static WrongBackend ofQueue(BiFunction<Device, DeviceQueue, DeviceQueue> queue) {
    return ofDevice(
        right ->
            new ForwardingDevice(right) {
              @Override
              DeviceQueue around(DeviceQueue of) {
                return queue.apply(this, of);
              }
            });
  }

  /** The semaphores are wrong. */
  static WrongBackend ofSemaphore(UnaryOperator<TimelineSemaphore> semaphore) {
    return ofDevice(
        right ->
            new ForwardingDevice(right) {
              @Override
              TimelineSemaphore around(TimelineSemaphore of) {
                return semaphore.apply(of);
              }
            });
  }

  @Override
  public Device open(String uri) {
    MockDriver driver =
        new MockDriver(driver()) {
          @Override
          DeviceBackend<MockEvent> backend(MockDevice opened) {
            return new ForwardingBackend(opened, stream, says);
          }
        };
    return device.apply(driver.open(DeviceUri.parse(asked.apply(uri))));
  }

  @Override
  protected MockControls mockControls(Device opened) {
    EngineDevice<?> engine = (EngineDevice<?>) ((ForwardingDevice) opened).right;
    return new MockControls(engine, ((ForwardingBackend) engine.backend()).right());
  }
}
