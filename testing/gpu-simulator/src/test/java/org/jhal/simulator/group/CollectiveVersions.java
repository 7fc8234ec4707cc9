// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import java.util.List;
import java.util.stream.Stream;
import org.jhal.simulator.fixture.SimulatedGpu;

/**
 * The versions of the library of collectives with which whole classes of tests run: the newest in
 * every build, and with the profile {@code long} also an older one, which can do less, of the
 * vendors that have one.
 */
final class CollectiveVersions {
  private CollectiveVersions() {}

  static List<Integer> all() {
    return SimulatedGpu.ofProcess().collectiveVersions();
  }

  static Stream<Integer> newestAnd21800() {
    return newestAnd(21800);
  }

  static Stream<Integer> newestAnd21300() {
    return newestAnd(21300);
  }

  private static Stream<Integer> newestAnd(int older) {
    int newest = all().get(0);
    boolean isLong = Boolean.getBoolean("jhal.test.long");
    return all().stream().filter(each -> each == newest || (isLong && each == older));
  }
}
