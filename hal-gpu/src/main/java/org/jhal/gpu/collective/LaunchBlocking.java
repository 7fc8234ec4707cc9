package org.jhal.gpu.collective;

import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Variables with which people who look for a fault make a runtime wait for each kernel where it is
 * launched. A kernel of a collective runs until those of all ranks run, so one thread that launches
 * for several ranks would then wait for the first one for ever.
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
            "with "
                + variable
                + "="
                + value
                + " a launch waits for its kernel, which waits for those of the other ranks");
      }
    }
  }
}
