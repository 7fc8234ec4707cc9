// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that computes an element of each output from an element of each input, loaded for one
 * attempt of a task, with its constants.
 */
final class BatchKernel implements AutoCloseable {
  /** The constant that gets the number of elements. */
  static final String COUNT = "count";

  private static final Set<ElementType> COUNTERS =
      Set.of(ElementType.I32, ElementType.U32, ElementType.I64, ElementType.U64);

  private final Executable executable;
  private final Kernel kernel;
  private final List<Parameter> inputs;
  private final List<Parameter> outputs;
  private final @Nullable Object[] values; // by position; null for buffers and the count
  private final int countIndex;

  /**
   * Loads the kernel.
   *
   * @throws HalException NOT_FOUND if there is no such bundle or kernel; INVALID_ARGUMENT if the
   *     kernel is not of this kind, or the constants are not its own; as {@link
   *     Device#loadExecutable}
   */
  static BatchKernel load(Device device, BatchSettings settings) {
    SparkBundle bundle = settings.bundle();
    ExecutableSource source = bundle.source();
    if (source.read("manifest.json") == null) {
      throw bundle.missing("there is no manifest.json", null);
    }
    Executable executable = device.loadExecutable(source);
    try {
      return new BatchKernel(
          executable, executable.kernel(settings.kernel()), settings.constants());
    } catch (RuntimeException e) {
      executable.close();
      throw e;
    }
  }

  private BatchKernel(Executable executable, Kernel kernel, Map<String, Number> constants) {
    this.executable = executable;
    this.kernel = kernel;
    List<Parameter> parameters = kernel.parameters();
    this.inputs = buffers(parameters, Parameter.Direction.IN);
    this.outputs = buffers(parameters, Parameter.Direction.OUT);
    this.values = new Object[parameters.size()];
    int count = -1;
    for (int i = 0; i < values.length; i++) {
      Parameter parameter = parameters.get(i);
      if (parameter.kind() == Parameter.Kind.BUFFER) {
        if (parameter.direction() == Parameter.Direction.INOUT) {
          throw refused(
              "its buffer '"
                  + parameter.name()
                  + "' is inout; a batch that runs again needs its input unchanged, so declare an"
                  + " in and an out");
        }
      } else if (parameter.kind() == Parameter.Kind.STRUCT) {
        throw refused(
            "its parameter '" + parameter.name() + "' is a struct; pass its fields as constants");
      } else if (parameter.name().equals(COUNT)) {
        count = i;
      } else {
        values[i] = constants.get(parameter.name());
        if (values[i] == null) {
          throw refused(
              "its constant '" + parameter.name() + "' has no value; give it by withConstant");
        }
      }
    }
    if (count < 0 || !COUNTERS.contains(parameters.get(count).type())) {
      throw refused(
          "it needs a constant '"
              + COUNT
              + "' of type i32, u32, i64 or u64 for the number of"
              + " elements of a batch, which the last workgroup must not exceed");
    }
    this.countIndex = count;
    for (String given : constants.keySet()) {
      if (parameters.stream()
          .noneMatch(own -> own.kind() == Parameter.Kind.CONSTANT && own.name().equals(given))) {
        throw refused("it has no constant '" + given + "'");
      }
    }
  }

  private static List<Parameter> buffers(
      List<Parameter> parameters, Parameter.Direction direction) {
    return parameters.stream()
        .filter(own -> own.kind() == Parameter.Kind.BUFFER && own.direction() == direction)
        .toList();
  }

  /** The failure for a kernel that cannot be run in batches. */
  HalException refused(String why) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        "kernel "
            + kernel.name()
            + kernel.parameters().stream()
                .map(
                    own ->
                        (own.kind() == Parameter.Kind.BUFFER
                                    ? own.direction().name()
                                    : own.kind().name())
                                .toLowerCase(Locale.ROOT)
                            + " "
                            + own.typeName()
                            + " "
                            + own.name())
                .collect(Collectors.joining(", ", "(", ")"))
            + ": "
            + why);
  }

  Kernel kernel() {
    return kernel;
  }

  /** The buffers that it reads, in the order of its parameters. */
  List<Parameter> inputs() {
    return inputs;
  }

  /** The buffers that it writes, in the order of its parameters. */
  List<Parameter> outputs() {
    return outputs;
  }

  /** Its arguments for a batch; the buffers are in the order of its parameters. */
  Args args(long count, List<DeviceBuffer> read, List<DeviceBuffer> written) {
    @Nullable Object[] all = Arrays.copyOf(values, values.length);
    all[countIndex] = count;
    int in = 0;
    int out = 0;
    for (int i = 0; i < all.length; i++) {
      Parameter parameter = kernel.parameters().get(i);
      if (parameter.kind() == Parameter.Kind.BUFFER) {
        all[i] = parameter.isRead() ? read.get(in++) : written.get(out++);
      }
    }
    return Args.of(all);
  }

  @Override
  public void close() {
    executable.close();
  }
}
