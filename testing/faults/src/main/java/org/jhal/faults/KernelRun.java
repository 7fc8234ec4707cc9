// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.faults.Corpus.Buffer;
import org.jhal.faults.Corpus.KernelFault;
import org.jhal.faults.Corpus.Launch;

/** Runs a kernel of the corpus as a program would: buffers that have no values are not filled. */
public final class KernelRun {
  private KernelRun() {}

  /**
   * Runs all dispatches of one twin, one after another.
   *
   * @return the numbers of all buffers that the kernels write
   * @throws org.jhal.HalException what loading or the operations throw
   */
  public static Map<String, double[]> run(
      Device device, KernelFault fault, Twin twin, Duration limit) throws InterruptedException {
    Map<String, DeviceBuffer> buffers = new LinkedHashMap<>();
    Map<String, byte[]> written = new LinkedHashMap<>();
    try (Executable kernels = device.loadExecutable(fault.bundle(twin));
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      fault
          .buffers()
          .forEach(
              (name, buffer) -> {
                byte[] bytes = buffer.bytes();
                buffers.put(
                    name,
                    bytes == null
                        ? steps.allocate(buffer.element(), buffer.length())
                        : steps.uploading(HostMemory.of(bytes)));
              });
      for (Launch launch : fault.run()) {
        Kernel kernel = kernels.kernel(launch.kernel());
        Args.Named args = Args.named(kernel);
        for (Parameter parameter : kernel.parameters()) {
          args.set(parameter.name(), argument(parameter, launch, buffers));
          if (parameter.kind() == Parameter.Kind.BUFFER && parameter.isWritten()) {
            Buffer buffer = get(fault.buffers(), parameter.name());
            written.put(parameter.name(), new byte[buffer.length() * buffer.element().bytes()]);
          }
        }
        steps.dispatch(kernel, launch.grid(), args.build());
      }
      written.forEach((name, bytes) -> steps.readback(get(buffers, name), HostMemory.of(bytes)));
      sequence.await(limit);
    }
    Map<String, double[]> results = new LinkedHashMap<>();
    written.forEach(
        (name, bytes) ->
            results.put(name, Values.numbers(get(fault.buffers(), name).element(), bytes)));
    return results;
  }

  private static Object argument(
      Parameter parameter, Launch launch, Map<String, DeviceBuffer> buffers) {
    String name = parameter.name();
    if (parameter.kind() == Parameter.Kind.BUFFER) {
      return get(buffers, name);
    }
    Object value = get(launch.constants(), name);
    if (parameter.kind() == Parameter.Kind.STRUCT) {
      Object[] numbers = Arrays.stream(value.toString().split(",")).map(Integer::valueOf).toArray();
      return Objects.requireNonNull(parameter.struct()).value(numbers);
    }
    double number = ((Number) value).doubleValue();
    return switch (Objects.requireNonNull(parameter.type())) {
      case F16, BF16, F32, F64 -> number;
      default -> (long) number;
    };
  }

  private static <T> T get(Map<String, T> map, String name) {
    return Objects.requireNonNull(map.get(name), name);
  }
}
