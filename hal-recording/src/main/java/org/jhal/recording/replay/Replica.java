// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Recording;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * A device that does what was recorded, one action after the other, whatever number of devices and
 * queues the program had. Used by one thread.
 */
final class Replica implements AutoCloseable {
  private static final int CHUNK = 1 << 26; // of payloads

  private final Recording recording;
  private final BundleFolders bundles;
  private final Device device;
  private final DeviceQueue queue;
  private final TimelineSemaphore done;
  private final boolean takesSubstitutes;
  private final byte fresh; // what new memory is filled with
  private long last; // the value that the last action signals
  private final Map<Integer, DeviceBuffer> memories = new HashMap<>();
  private final Map<Integer, Executable> executables = new HashMap<>();
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
    this.device = Hal.openDevice(uri);
    this.queue = device.queue(0);
    this.done = device.createSemaphore();
  }

  private Fence waits() {
    return last == 0 ? Fence.NONE : done.at(last);
  }

  private Fence next() {
    return done.at(++last);
  }

  /** Waits until all has been done. */
  void await() throws InterruptedException {
    done.await(last);
  }

  void allocate(int memory) {
    long size = recording.memory(memory).size();
    DeviceBuffer buffer = device.allocate(size, BufferParams.DEVICE);
    memories.put(memory, buffer);
    if (size > 0) {
      Fence before = waits();
      queue.fill(before, next(), buffer, 0, size, FillPattern.of(fresh));
    }
  }

  void free(int memory) {
    DeviceBuffer buffer = memories.remove(memory);
    if (buffer != null) {
      buffer.close();
    }
  }

  private DeviceBuffer memory(int number) {
    DeviceBuffer buffer = memories.get(number);
    if (buffer == null) {
      throw new HalException(
          Status.DATA_LOSS, "the recording uses memory " + number + ", which it does not have");
    }
    return buffer;
  }

  private DeviceBuffer slice(Range range) {
    return memory(range.memory()).slice(range.offset(), range.length());
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
      write(new Range(range.memory(), range.offset() + at, chunk.capacity()), chunk.array());
    }
  }

  /** Writes bytes, which may change when it returns. */
  void write(Range range, byte[] bytes) throws InterruptedException {
    if (range.length() > 0) {
      Fence before = waits();
      queue.upload(before, next(), HostMemory.of(bytes), memory(range.memory()), range.offset());
      await();
    }
  }

  /** Reads a range, which fits into an array. */
  byte[] read(Range range) throws InterruptedException {
    return read(memory(range.memory()), range.offset(), Math.toIntExact(range.length()));
  }

  /** Copies a range to a buffer of its own, which the caller closes. */
  DeviceBuffer snapshot(Range range) {
    DeviceBuffer copy = device.allocate(range.length(), BufferParams.DEVICE);
    if (range.length() > 0) {
      Fence before = waits();
      queue.copy(before, next(), memory(range.memory()), range.offset(), copy, 0, range.length());
    }
    return copy;
  }

  /** Reads a part of a buffer, such as a snapshot. */
  byte[] read(DeviceBuffer buffer, long offset, int length) throws InterruptedException {
    byte[] bytes = new byte[length];
    if (length > 0) {
      Fence before = waits();
      queue.readback(before, next(), buffer, offset, HostMemory.of(bytes));
      await();
    }
    return bytes;
  }

  void fill(Action.Fill fill) {
    Range to = fill.target();
    FillPattern pattern = new FillPattern(fill.pattern(), fill.bytes());
    if (to.length() > 0) {
      Fence before = waits();
      queue.fill(before, next(), memory(to.memory()), to.offset(), to.length(), pattern);
    }
  }

  void copy(Action.Copy copy) {
    Range from = copy.source();
    Range to = copy.target();
    if (from.length() > 0) {
      Fence before = waits();
      queue.copy(
          before,
          next(),
          memory(from.memory()),
          from.offset(),
          memory(to.memory()),
          to.offset(),
          from.length());
    }
  }

  /**
   * Loads the bundle of a dispatch.
   *
   * @return false if the recording lacks a part of the bundle, and the device cannot do without
   */
  boolean canRun(Action.Dispatch dispatch) {
    int bundle = dispatch.bundle();
    if (!executables.containsKey(bundle) && !unusable.contains(bundle)) {
      try {
        executables.put(
            bundle,
            device.loadExecutable(
                takesSubstitutes ? bundles.getSubstitute(bundle) : bundles.get(bundle)));
      } catch (HalException e) {
        if (recording.bundles().get(bundle).missing().isEmpty()) {
          throw e;
        }
        unusable.add(bundle);
      }
    }
    return executables.containsKey(bundle);
  }

  /** The kernel of a dispatch that it {@linkplain #canRun can run}. */
  Kernel kernel(Action.Dispatch dispatch) {
    return Objects.requireNonNull(executables.get(dispatch.bundle())).kernel(dispatch.kernel());
  }

  /**
   * Runs a dispatch alone; returns how long it took, in nanoseconds, until the host saw its end.
   */
  long time(Action.Dispatch dispatch) throws InterruptedException {
    Kernel unused = kernel(dispatch);
    await();
    long begin = System.nanoTime();
    dispatch(dispatch);
    await();
    return System.nanoTime() - begin;
  }

  void dispatch(Action.Dispatch dispatch) {
    Kernel kernel = kernel(dispatch);
    List<Parameter> parameters = kernel.parameters();
    List<Object> arguments = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      @Nullable Range range = dispatch.buffers().get(i);
      arguments.add(
          range == null ? Constants.value(parameters, i, dispatch.constants()) : slice(range));
    }
    Fence before = waits();
    queue.dispatch(
        before,
        next(),
        kernel,
        new Workgroups(dispatch.x(), dispatch.y(), dispatch.z()),
        Args.of(arguments.toArray()));
  }

  @Override
  public void close() {
    executables.values().forEach(Executable::close);
    memories.values().forEach(DeviceBuffer::close);
    device.close();
    done.close();
  }
}
