// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;

/**
 * An argument of a kernel.
 *
 * @param offset where it begins, in bytes
 * @param size how long it is, in bytes
 * @param isPointer whether it is passed as an address
 */
public record KernelArgument(int offset, int size, boolean isPointer) {
  @Override
  public String toString() {
    return (isPointer ? "a pointer at " : size + " at ") + offset;
  }

  /**
   * Compares the arguments that a kernel takes with those that a launch passes.
   *
   * @param name the kernel with its origin, for messages
   * @throws HalException INVALID_ARGUMENT if they differ; the message has both
   */
  public static void check(List<KernelArgument> taken, KernelSpec spec, String name) {
    List<Parameter> parameters = spec.parameters();
    ArgumentLayout layout = ArgumentLayout.of(parameters);
    List<KernelArgument> passed = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      Parameter parameter = parameters.get(i);
      passed.add(
          new KernelArgument(
              layout.offset(i),
              ArgumentLayout.bytes(parameter),
              parameter.kind() == Parameter.Kind.BUFFER));
    }
    if (!taken.equals(passed)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s takes %s argument%s, in bytes %s; by the manifest they are %s, %s"
              .formatted(
                  name, taken.size(), taken.size() == 1 ? "" : "s", taken, passed.size(), passed));
    }
  }
}
