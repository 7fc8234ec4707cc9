package org.jhal.simulator.kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;
import org.jhal.DeviceUri;
import org.jhal.driver.DeviceBackend;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.GpuDriver;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.stream.GpuStream;

/**
 * Opens devices, and keeps the handles of their streams.
 *
 * @param <S> the runtime's stream
 */
public final class StreamCapture<S> implements GpuDriver.Interposer {
  private final GpuDriver driver;
  private final ToLongFunction<S> handle;
  private final List<Long> streams = new CopyOnWriteArrayList<>();

  /**
   * Of a driver.
   *
   * @param handle how the simulator knows a stream
   */
  public StreamCapture(GpuDriver driver, ToLongFunction<S> handle) {
    this.driver = driver;
    this.handle = handle;
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
  public <E> DeviceBackend<GpuEvent<E>> before(GpuDevice<?, E, ?> device) {
    return (DeviceBackend<GpuEvent<E>>)
        Proxy.newProxyInstance(
            StreamCapture.class.getClassLoader(),
            new Class<?>[] {DeviceBackend.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(device, arguments);
                if (result instanceof GpuStream<?, ?, ?> stream) {
                  streams.add(handle.applyAsLong((S) stream.handle()));
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
