// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * The devices whose memory a device can use, as the runtime reported once.
 *
 * <p>Immutable.
 */
public final class PeerAccess {
  private static final String REFUSED = "the runtime offers no access";

  private final int ordinal;
  private final List<String> obstacles; // by ordinal; empty where there is access

  private PeerAccess(int ordinal, List<String> obstacles) {
    this.ordinal = ordinal;
    this.obstacles = obstacles;
  }

  /**
   * Asks about all other devices. A {@link HalException} of the query means no access.
   *
   * @param ordinal of the device
   * @param count how many devices the runtime has
   */
  static PeerAccess ask(int ordinal, int count, IntPredicate query) {
    List<String> obstacles = new ArrayList<>();
    for (int owner = 0; owner < count; owner++) {
      obstacles.add(owner == ordinal ? "" : obstacle(owner, query));
    }
    return new PeerAccess(ordinal, List.copyOf(obstacles));
  }

  private static String obstacle(int owner, IntPredicate query) {
    try {
      return query.test(owner) ? "" : REFUSED;
    } catch (HalException e) {
      return e.getMessage();
    }
  }

  /** Why the device cannot use the memory of {@code owner}, or null if it can. */
  public @Nullable String obstacle(int owner) {
    if (owner >= obstacles.size()) {
      return "it did not exist when the runtime was asked";
    }
    String obstacle = obstacles.get(owner);
    return obstacle.isEmpty() ? null : obstacle;
  }

  /** Such as {@code 1, 3; not 2: the runtime offers no access}. */
  @Override
  public String toString() {
    List<String> accessible = new ArrayList<>();
    Map<String, List<String>> refused = new LinkedHashMap<>(); // by reason
    for (int owner = 0; owner < obstacles.size(); owner++) {
      String obstacle = obstacles.get(owner);
      if (!obstacle.isEmpty()) {
        refused.computeIfAbsent(obstacle, reason -> new ArrayList<>()).add(String.valueOf(owner));
      } else if (owner != ordinal) {
        accessible.add(String.valueOf(owner));
      }
    }
    if (obstacles.size() == 1) {
      return "there is no other device";
    }
    StringBuilder text = new StringBuilder();
    text.append(accessible.isEmpty() ? "none" : String.join(", ", accessible));
    refused.forEach(
        (reason, owners) ->
            text.append("; not ").append(String.join(", ", owners)).append(": ").append(reason));
    return text.toString();
  }
}
