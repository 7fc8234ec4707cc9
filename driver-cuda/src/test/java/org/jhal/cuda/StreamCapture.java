package org.jhal.cuda;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.DeviceUri;
import org.jhal.utils.DeviceBackend;
import org.jhal.utils.EngineDevice;

/** Opens devices, and keeps the handles of their streams. */
final class StreamCapture extends CudaDriver {
  private final List<Long> streams = new CopyOnWriteArrayList<>();

  EngineDevice<?> openEngine(String uri) {
    return (EngineDevice<?>) open(DeviceUri.parse(uri));
  }

  /** The native handles of the queues' streams, of all devices that were opened. */
  List<Long> streams() {
    return streams;
  }

  @Override
  @SuppressWarnings("unchecked") // what the proxy implements
  DeviceBackend<CudaEvent> backend(CudaDevice device) {
    return (DeviceBackend<CudaEvent>)
        Proxy.newProxyInstance(
            StreamCapture.class.getClassLoader(),
            new Class<?>[] {DeviceBackend.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(device, arguments);
                if (result instanceof CudaStream stream) {
                  streams.add(Handles.get(stream.handle()));
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
