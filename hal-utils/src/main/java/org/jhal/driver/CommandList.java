// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jspecify.annotations.Nullable;

/**
 * Commands in the order of recording. Those between two barriers may run in any order and at once;
 * a barrier orders all before it against all after it. The list does not change while it can be
 * submitted.
 */
public interface CommandList {
  /** The number of commands. */
  int size();

  /** Command {@code index}, from 0. */
  Command get(int index);

  /** Whether one of the commands is an {@link Command.Kind#INDIRECT_DISPATCH}. */
  default boolean hasIndirectDispatch() {
    for (int i = 0; i < size(); i++) {
      if (get(i).kind() == Command.Kind.INDIRECT_DISPATCH) {
        return true;
      }
    }
    return false;
  }

  /**
   * What {@link DeviceBackend#prepare} returned for this list, or null: always for commands that
   * are submitted only once.
   */
  default @Nullable PreparedCommands prepared() {
    return null;
  }
}
