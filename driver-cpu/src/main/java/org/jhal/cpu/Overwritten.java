// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.HalRuntime;

/**
 * Messages about memory that was overwritten outside a buffer.
 *
 * <p>Bytes that changed show that something wrote there since they were looked at last, and not
 * what it was. Nearly always it is an operation that has used the buffer, so the messages name
 * these.
 */
final class Overwritten {
  /** From here on, the bytes that are looked at may end before those that were overwritten. */
  private static final int ALL = 64;

  private Overwritten() {}

  /**
   * For the log.
   *
   * @param device its name
   * @param found what {@link HalRuntime#hal_memory_check} has returned
   */
  static String message(String device, Block block, long found) {
    String message =
        "memory was overwritten outside a buffer of %s: %s the buffer, which has %s bytes"
            .formatted(device, places(found), block.size());
    List<String> uses = block.uses();
    return uses.isEmpty() ? message : message + "; last used by " + String.join(", ", uses);
  }

  /**
   * For an operation.
   *
   * @param work what used the block in this operation, as {@link Block#usedBy} knows it
   * @param buffer its name there
   * @param found what {@link HalRuntime#hal_memory_check} has returned
   */
  static HalException failure(List<String> work, String buffer, Block block, long found) {
    String message =
        "memory was overwritten outside a buffer of %s: %s %s, which has %s bytes"
            .formatted(String.join(" or ", work), places(found), buffer, block.size());
    List<String> before = new ArrayList<>(block.uses());
    before.removeAll(work);
    return new HalException(
        Status.ABORTED,
        before.isEmpty() ? message : message + "; used before by " + String.join(", ", before));
  }

  private static String places(long found) {
    long before = found & 0xFFFF;
    long behind = found >> 16 & 0xFFFF;
    List<String> places = new ArrayList<>();
    if (before > 0) {
      places.add(bytes(before) + " before the start of");
    }
    if (behind > 0) {
      places.add(bytes(behind) + " past the end of");
    }
    return String.join(" and ", places);
  }

  private static String bytes(long count) {
    return count < ALL ? "up to " + count + " bytes" : count + " bytes or more";
  }
}
