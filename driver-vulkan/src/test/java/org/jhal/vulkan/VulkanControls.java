// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.Optional;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Status;
import org.jhal.cts.Controls;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.engine.EngineDevice;
import org.jhal.testkit.ControlledBackend;
import org.jhal.testkit.DeviceControls;

/** Devices in which the suite makes calls fail and holds streams. */
final class VulkanControls extends DeviceControls implements Controls {
  private VulkanControls(
      EngineDevice<?> device, ControlledBackend<?> backend, FailingVulkan vulkan) {
    super(device, backend, device::lose, vulkan.faults);
  }

  /** Opens a device that {@link #of} knows. */
  static Device open(String uri) {
    VulkanDriver driver =
        new VulkanDriver() {
          @Override
          DeviceBackend<VulkanEvent> backend(
              LogicalDevice logical, DeviceInfo info, VulkanDevice.Config config) {
            return new ControlledBackend<>(new FailingVulkan(logical, info, config));
          }
        };
    return driver.open(DeviceUri.parse(uri));
  }

  /** The controls of a device from {@link #open}; nothing for any other. */
  static Optional<Controls> of(Device device) {
    return device instanceof EngineDevice<?> engine
            && engine.backend() instanceof ControlledBackend<?> backend
            && backend.real() instanceof FailingVulkan vulkan
        ? Optional.of(new VulkanControls(engine, backend, vulkan))
        : Optional.empty();
  }

  @Override
  protected Runnable hold(int index, NativeStream<?> stream) {
    return HeldWork.of(stream).hold(((VulkanStream) stream).commands().timeline());
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    failNth(call, nth, Controls.injected(call, nth, status, sticky));
  }
}
