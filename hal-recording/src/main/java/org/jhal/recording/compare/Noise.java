// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * By how much the results of one device differ from run to run, as those of kernels do that add
 * floating-point numbers atomically, by kernel and buffer. Used by one thread.
 */
public final class Noise {
  private static final int MARGIN = 4; // the next run may differ by more than these two

  private static final class Floor {
    long ulps;
    double absolute;
    boolean hasIntegers;
  }

  private final Map<String, Floor> floors = new LinkedHashMap<>(); // by place

  /** Of a device that does not differ from itself, as far as is known. */
  public Noise() {}

  /** Takes two results of one device for an element into account, which differ. */
  void learn(String place, Elements elements, byte[] a, byte[] b, int element) {
    Floor floor = floors.computeIfAbsent(place, key -> new Floor());
    floor.ulps = Math.max(floor.ulps, elements.distance(a, b, element));
    double difference = elements.difference(a, b, element);
    floor.absolute = Math.max(floor.absolute, Double.isNaN(difference) ? 0 : difference);
    floor.hasIntegers |= !elements.isFloat();
  }

  /** Whether one device might differ from itself by as much. */
  boolean covers(String place, Elements elements, byte[] a, byte[] b, int element) {
    Floor floor = floors.get(place);
    if (floor == null) {
      return false;
    }
    return floor.hasIntegers
        || elements.distance(a, b, element) / MARGIN < floor.ulps
        || elements.difference(a, b, element) <= MARGIN * floor.absolute;
  }

  /** What was learned, for people. */
  public List<String> texts() {
    List<String> texts = new ArrayList<>();
    floors.forEach(
        (place, floor) ->
            texts.add(
                floor.hasIntegers
                    ? place + " differs from run to run, and is not compared"
                    : place + " differs from run to run by up to " + floor.ulps + " ulps"));
    return texts;
  }
}
