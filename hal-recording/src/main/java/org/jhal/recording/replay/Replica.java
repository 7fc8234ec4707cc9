// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.jhal.Executable;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.recording.compare.Side;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Memory;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Recording;
import org.jhal.spi.HostFailures;

/**
 * A device that does what was recorded, one action after the other, whatever number of devices and
 * queues the program had. Used by one thread.
 */
final class Replica implements AutoCloseable {
  private static final int CHUNK = 1 << 26; // of payloads

  private final Recording recording;
  private final BundleFolders bundles;
  private final Side side;
  private final boolean takesSubstitutes;
  private final byte fresh; // what new memory is filled with
  private final Set<Integer> unusable = new HashSet<>(); // bundles

  /**
   * Opens a device.
   *
   * @param takesSubstitutes whether it runs what is tried in the place of bundles
   * @param fresh what new memory is filled with
   */
  Replica(
      Recording recording,
      BundleFolders bundles,
      String uri,
      boolean takesSubstitutes,
      byte fresh) {
    this.recording = recording;
    this.takesSubstitutes = takesSubstitutes;
    this.bundles = bundles;
    this.fresh = fresh;
    this.side = new Side(Hal.openDevice(uri));
  }

  /** What does the actions. */
  Side side() {
    return side;
  }

  /**
   * Allocates a memory.
   *
   * @return false if it is a variable of kernels to which there is no access here; then it is
   *     memory that the kernels do not see
   */
  boolean allocate(int memory) {
    Memory.Variable variable = recording.memory(memory).variable();
    boolean isVariable = variable != null && takeVariable(memory, variable);
    if (!isVariable) {
      side.allocate(memory, recording.memory(memory).size());
      side.fillFresh(memory, fresh);
    }
    return variable == null || isVariable;
  }

  private boolean takeVariable(int memory, Memory.Variable variable) {
    try {
      if (canRun(variable.bundle())) {
        side.global(memory, variable.bundle(), variable.name());
        return true;
      }
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED && e.status() != Status.NOT_FOUND) {
        throw e;
      }
    }
    return false;
  }

  /** Writes a payload. */
  void write(Range range, int payload) throws InterruptedException {
    for (long at = 0; at < range.length(); at += CHUNK) {
      ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, range.length() - at));
      try {
        recording.payload(payload, at, chunk);
      } catch (IOException e) {
        throw HostFailures.of(Status.DATA_LOSS, "the recording cannot be read", e);
      }
      side.write(new Range(range.memory(), range.offset() + at, chunk.capacity()), chunk.array());
    }
  }

  /**
   * Loads the bundle of a dispatch.
   *
   * @return false if the recording lacks a part of the bundle, and the device cannot do without
   */
  boolean canRun(Action.Dispatch dispatch) {
    return canRun(dispatch.bundle());
  }

  private boolean canRun(int bundle) {
    if (!side.isLoaded(bundle) && !unusable.contains(bundle)) {
      try {
        Executable unused =
            side.load(
                bundle, takesSubstitutes ? bundles.getSubstitute(bundle) : bundles.get(bundle));
      } catch (HalException e) {
        if (recording.bundles().get(bundle).missing().isEmpty()) {
          throw e;
        }
        unusable.add(bundle);
      }
    }
    return side.isLoaded(bundle);
  }

  @Override
  public void close() {
    side.close();
  }
}
