// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Debugging variables that make a runtime wait for each kernel at its launch. A collective's kernel
 * runs until those of all ranks run, so a thread that launches for several ranks would hang at the
 * first.
 */
public final class LaunchBlocking {
  private LaunchBlocking() {}

  /**
   * Refuses groups of several ranks whose collectives a library would launch.
   *
   * @param variables that the runtime reads
   * @throws HalException UNIMPLEMENTED with the reason if one is set to anything but 0
   */
  public static void check(int ranks, List<String> variables, Map<String, String> environment) {
    if (ranks < 2) {
      return;
    }
    for (String variable : variables) {
      String value = environment.getOrDefault(variable, "").strip();
      if (!value.isEmpty() && !value.equals("0")) {
        throw new HalException(
            Status.UNIMPLEMENTED,
            ("with %s=%s a launch waits for its kernel, which waits for those of the"
                    + " other ranks")
                .formatted(variable, value));
      }
    }
  }
}
