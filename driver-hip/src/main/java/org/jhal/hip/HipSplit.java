// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import com.sun.jna.Library;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.ComputeSplit;
import org.jhal.hip.jna.HipApi;
import org.jhal.hip.jna.HipConstants;
import org.jspecify.annotations.Nullable;

/**
 * The compute units of a device, divided by the masks of streams. Such a stream has no priority.
 * Where the kernels of a graph run is not said, so none is launched into one.
 */
final class HipSplit implements ComputeSplit {
  /** Some architectures join two compute units to a workgroup processor. */
  private static final int GRANULE = 2;

  /** The function that not every runtime has. */
  interface Functions extends Library {
    int hipExtStreamCreateWithCUMask(long[] stream, int words, int[] mask);
  }

  private final HipRuntime runtime;
  private final Functions functions;
  private final int units;
  private final List<BitSet> places = new CopyOnWriteArrayList<>(); // by number, from 1

  private HipSplit(HipRuntime runtime, Functions functions, int units) {
    this.runtime = runtime;
    this.functions = functions;
    this.units = units;
  }

  /** The functions that a library lacks; none if it can divide compute units. */
  static List<String> missing(SharedLibrary library) {
    return library.missing(SharedLibrary.functions(Functions.class));
  }

  /** Divides a device; null if it has too few compute units. */
  static @Nullable HipSplit of(HipRuntime runtime, int device) {
    int[] units = new int[1];
    runtime.check(
        "deviceGetAttribute",
        HipApi.API
            .setup()
            .deviceGetAttribute(units, HipConstants.hipDeviceAttributeMultiprocessorCount, device));
    return units[0] < 2 * GRANULE
        ? null
        : new HipSplit(runtime, runtime.library().library().map(Functions.class), units[0]);
  }

  @Override
  public int units() {
    return units;
  }

  @Override
  public int granule() {
    return GRANULE;
  }

  @Override
  public int granules() {
    return units / GRANULE;
  }

  @Override
  public synchronized long makePlace(BitSet granules, boolean hasRemainder) {
    BitSet mask = new BitSet();
    granules.stream().forEach(i -> mask.set(GRANULE * i, GRANULE * (i + 1)));
    if (hasRemainder) {
      mask.set(GRANULE * granules(), Math.max(units, GRANULE * granules()));
    }
    places.add(mask);
    return places.size();
  }

  @Override
  public long contextOf(long place) {
    return 0;
  }

  @Override
  public boolean hasGraphs() {
    return false;
  }

  /** HIP runs those of all streams on a queue of its own. */
  @Override
  public boolean bindsCooperative() {
    return false;
  }

  @Override
  public boolean hasPriorities() {
    return false;
  }

  @Override
  public long openStream(long place, int priority) {
    BitSet units = places.get((int) place - 1);
    int[] mask = new int[(this.units + Integer.SIZE - 1) / Integer.SIZE];
    units.stream().forEach(i -> mask[i / Integer.SIZE] |= 1 << i % Integer.SIZE);
    return runtime
        .gate()
        .call(
            () -> {
              long[] stream = new long[1];
              runtime.check(
                  "extStreamCreateWithCUMask",
                  functions.hipExtStreamCreateWithCUMask(stream, mask.length, mask));
              return stream[0];
            });
  }

  @Override
  public void endPlace(long place) {} // nothing native
}
