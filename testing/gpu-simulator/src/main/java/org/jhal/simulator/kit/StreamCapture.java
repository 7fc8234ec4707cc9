// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.DeviceUri;
import org.jhal.driver.DeviceBackend;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.stream.GpuStream;

/** Opens devices, and records the handles of their streams. */
public final class StreamCapture implements GpuDriver.Interposer {
  private final GpuDriver driver;
  private final List<Long> streams = new CopyOnWriteArrayList<>();

  /** Of a driver. */
  public StreamCapture(GpuDriver driver) {
    this.driver = driver;
  }

  /** Opens a device. */
  public EngineDevice<?> openEngine(String uri) {
    return (EngineDevice<?>) driver.open(DeviceUri.parse(uri), this);
  }

  /** The native handles of the queues' streams, of all devices that were opened. */
  public List<Long> streams() {
    return streams;
  }

  @Override
  @SuppressWarnings("unchecked") // what the proxy implements
  public DeviceBackend<GpuEvent> before(GpuDevice device) {
    return (DeviceBackend<GpuEvent>)
        Proxy.newProxyInstance(
            StreamCapture.class.getClassLoader(),
            new Class<?>[] {DeviceBackend.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(device, arguments);
                if (result instanceof GpuStream stream) {
                  streams.add(stream.handle());
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
