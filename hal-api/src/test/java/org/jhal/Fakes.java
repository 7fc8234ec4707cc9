// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;

/** Stand-ins for a driver's objects, for tests in which only their identity matters. */
final class Fakes {
  private Fakes() {}

  /** A kernel of 8 x 4 items with constants of these names, which are i32. */
  static Kernel kernel(String name, String... parameters) {
    return kernelOf(
        name,
        Stream.of(parameters)
            .map(parameter -> Parameter.constant(parameter, ElementType.I32))
            .toArray(Parameter[]::new));
  }

  /** A kernel of 8 x 4 items with these parameters. */
  static Kernel kernelOf(String name, Parameter... parameters) {
    List<Parameter> all = List.of(parameters);
    return new Kernel() {
      @Override
      public org.jhal.Executable executable() {
        throw new UnsupportedOperationException();
      }

      @Override
      public String name() {
        return name;
      }

      @Override
      public List<Parameter> parameters() {
        return all;
      }

      @Override
      public Workgroups workgroupSize() {
        return new Workgroups(8, 4, 1);
      }

      @Override
      public int dynamicSharedMemory() {
        return 0;
      }
    };
  }

  /**
   * A text of which the ages are those at {@code then}: each that is larger only since the test was
   * held up meanwhile becomes {@code seconds}.
   */
  static String atAge(String text, long seconds, long then) {
    String young = text;
    for (long late = (System.nanoTime() - then) / 1_000_000_000; late > 0; late--) {
      young = young.replace("for " + (seconds + late) + " s", "for " + seconds + " s");
    }
    return young;
  }

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
