package org.jhal;

import java.lang.reflect.Proxy;

/** Objects that stand for what a driver makes, where only their identity matters. */
final class Fakes {
  private Fakes() {}

  /** A buffer that prints as {@code name} and cannot do anything. */
  static DeviceBuffer buffer(String name) {
    return (DeviceBuffer)
        Proxy.newProxyInstance(
            Fakes.class.getClassLoader(),
            new Class<?>[] {DeviceBuffer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "toString" -> name;
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
