// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.AcquiredQueue;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Range;
import org.jspecify.annotations.Nullable;

/**
 * One of the devices that are compared. It does one action after the other, on one queue at a time.
 * Memory and bundles have the numbers that the caller gives them.
 *
 * <p>Used by one thread at a time, but memory and bundles may come and go on any.
 */
public final class Side implements AutoCloseable {
  /** How many queues it has acquired at a time; the one that was acquired first goes first. */
  private static final int MOST_ACQUIRED = 8;

  private final Device device;
  private DeviceQueue queue; // of the next action
  private final Map<Integer, AcquiredQueue> acquired = new LinkedHashMap<>(); // the eldest first
  private TimelineSemaphore done;
  private long last; // the value that the last action signals
  private final Map<Integer, DeviceBuffer> memories = new ConcurrentHashMap<>();
  private final Map<Integer, Executable> executables = new ConcurrentHashMap<>();

  /** Does its actions on a device, which it closes. */
  public Side(Device device) {
    this.device = device;
    this.queue = device.queue(0);
    this.done = device.createSemaphore();
  }

  public Device device() {
    return device;
  }

  /**
   * Does the following actions on the device's first queue, or on one that it acquires.
   *
   * @param number of the queue, for the caller
   * @param request null for the first queue. Of what the device does not have, the nearest is taken
   */
  public void use(int number, @Nullable QueueRequest request) throws InterruptedException {
    if (request == null) {
      queue = device.queue(0);
      return;
    }
    AcquiredQueue known = acquired.get(number);
    if (known == null) {
      if (acquired.size() == MOST_ACQUIRED) {
        await();
        Iterator<AcquiredQueue> eldest = acquired.values().iterator();
        eldest.next().close();
        eldest.remove();
      }
      known = acquire(request);
      if (known == null) {
        queue = device.queue(0);
        return;
      }
      acquired.put(number, known);
    }
    queue = known;
  }

  private @Nullable AcquiredQueue acquire(QueueRequest request) {
    try {
      return device.acquireQueue(request);
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED && e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      return request.share().isEmpty()
          ? null
          : acquire(new QueueRequest(request.priority(), OptionalDouble.empty(), request.name()));
    }
  }

  /** Something that a queue does between two timepoints. */
  private interface Operation {
    void enqueue(Fence wait, Fence signal);
  }

  private void enqueue(Operation operation) {
    operation.enqueue(last == 0 ? Fence.NONE : done.at(last), done.at(last + 1));
    last++; // unless it was refused
  }

  /**
   * Waits until all has been done.
   *
   * @throws HalException the failure of an action; nothing else can be done until {@link #recover}
   */
  public void await() throws InterruptedException {
    done.await(last);
  }

  /** After a failure: waits until all has ended, and goes on with actions that do not need it. */
  public void recover() throws InterruptedException {
    try {
      await();
    } catch (HalException e) {
      TimelineSemaphore next = device.createSemaphore();
      done.close();
      done = next;
      last = 0;
    }
  }

  /**
   * Allocates memory.
   *
   * @throws HalException RESOURCE_EXHAUSTED if the device has not enough
   */
  public void allocate(int memory, long size) {
    memories.put(memory, device.allocate(size, BufferParams.DEVICE));
  }

  /**
   * Takes a variable of a loaded bundle for a memory.
   *
   * @throws HalException UNIMPLEMENTED if this device gives no access to variables
   */
  public void global(int memory, int bundle, String name) {
    memories.put(memory, executable(bundle).global(name));
  }

  /** Allocates memory behind the actions before, with what these have freed. */
  public void alloca(int memory, long size) {
    enqueue(
        (wait, signal) ->
            memories.put(memory, queue.alloca(wait, signal, size, BufferParams.DEVICE)));
  }

  /** Frees memory from {@link #alloca} behind the actions before. */
  public void dealloca(int memory) {
    DeviceBuffer buffer = memory(memory);
    memories.remove(memory);
    enqueue((wait, signal) -> queue.dealloca(wait, signal, buffer));
    buffer.close();
  }

  /** Frees memory, if it is there. */
  public void free(int memory) {
    DeviceBuffer buffer = memories.remove(memory);
    if (buffer != null) {
      buffer.close();
    }
  }

  private DeviceBuffer memory(int number) {
    DeviceBuffer buffer = memories.get(number);
    if (buffer == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "memory " + number + " is not allocated, or was freed");
    }
    return buffer;
  }

  private DeviceBuffer slice(Range range) {
    return memory(range.memory()).slice(range.offset(), range.length());
  }

  /** Writes bytes, which may change when it returns. */
  public void write(Range range, byte[] bytes) throws InterruptedException {
    if (range.length() > 0) {
      HostMemory source = HostMemory.of(bytes);
      enqueue(
          (wait, signal) ->
              queue.upload(wait, signal, source, memory(range.memory()), range.offset()));
    }
    await();
  }

  /** Reads a range, which fits into an array. */
  public byte[] read(Range range) throws InterruptedException {
    return read(memory(range.memory()), range.offset(), Math.toIntExact(range.length()));
  }

  /** Reads a part of a buffer, such as a snapshot. */
  byte[] read(DeviceBuffer buffer, long offset, int length) throws InterruptedException {
    byte[] bytes = new byte[length];
    if (length > 0) {
      HostMemory target = HostMemory.of(bytes);
      enqueue((wait, signal) -> queue.readback(wait, signal, buffer, offset, target));
    }
    await();
    return bytes;
  }

  /** Copies a range to a buffer of its own, which the caller closes. */
  DeviceBuffer snapshot(Range range) {
    DeviceBuffer copy = device.allocate(range.length(), BufferParams.DEVICE);
    if (range.length() > 0) {
      enqueue(
          (wait, signal) ->
              queue.copy(
                  wait, signal, memory(range.memory()), range.offset(), copy, 0, range.length()));
    }
    return copy;
  }

  /** Writes a snapshot back. */
  void restore(DeviceBuffer snapshot, Range range) {
    if (range.length() > 0) {
      enqueue(
          (wait, signal) ->
              queue.copy(
                  wait,
                  signal,
                  snapshot,
                  0,
                  memory(range.memory()),
                  range.offset(),
                  range.length()));
    }
  }

  public void fill(Action.Fill fill) {
    Range to = fill.target();
    FillPattern pattern = new FillPattern(fill.pattern(), fill.bytes());
    if (to.length() > 0) {
      enqueue(
          (wait, signal) ->
              queue.fill(wait, signal, memory(to.memory()), to.offset(), to.length(), pattern));
    }
  }

  /** Fills new memory, so that it shows which elements nothing has written. */
  public void fillFresh(int memory, byte pattern) {
    fill(new Action.Fill(new Range(memory, 0, memory(memory).size()), pattern & 0xFF, 1));
  }

  public void copy(Action.Copy copy) {
    Range from = copy.source();
    Range to = copy.target();
    if (from.length() > 0) {
      enqueue(
          (wait, signal) ->
              queue.copy(
                  wait,
                  signal,
                  memory(from.memory()),
                  from.offset(),
                  memory(to.memory()),
                  to.offset(),
                  from.length()));
    }
  }

  /** Loads a bundle. */
  public Executable load(int bundle, ExecutableSource source) {
    Executable loaded = device.loadExecutable(source);
    executables.put(bundle, loaded);
    return loaded;
  }

  /** Unloads a bundle, if it is there. */
  public void unload(int bundle) {
    Executable executable = executables.remove(bundle);
    if (executable != null) {
      executable.close();
    }
  }

  /** How many workgroups of a cooperative kernel the device holds. */
  public long residentWorkgroups(int bundle, int kernel) {
    return executable(bundle).kernels().get(kernel).residentWorkgroups().orElseThrow();
  }

  public boolean isLoaded(int bundle) {
    return executables.containsKey(bundle);
  }

  /** The kernel of a dispatch, whose bundle is loaded. */
  public Kernel kernel(Action.Dispatch dispatch) {
    return executable(dispatch).kernel(dispatch.kernel());
  }

  /** The format of the variant that a dispatch runs. */
  String format(Action.Dispatch dispatch) {
    return executable(dispatch).format();
  }

  private Executable executable(Action.Dispatch dispatch) {
    return executable(dispatch.bundle());
  }

  private Executable executable(int bundle) {
    Executable executable = executables.get(bundle);
    if (executable == null) {
      throw new HalException(Status.FAILED_PRECONDITION, "bundle " + bundle + " is not loaded");
    }
    return executable;
  }

  /**
   * Runs a dispatch alone; returns how long it took, in nanoseconds, until the host saw its end.
   */
  public long time(Action.Dispatch dispatch) throws InterruptedException {
    Kernel unused = kernel(dispatch);
    await();
    long begin = System.nanoTime();
    dispatch(dispatch);
    await();
    return System.nanoTime() - begin;
  }

  /** The same dispatch with the grid that this device would read now. */
  Action.Dispatch fixed(Action.Dispatch dispatch) throws InterruptedException {
    Range counts = dispatch.counts();
    return counts == null ? dispatch : dispatch.withGrid(read(counts));
  }

  public void dispatch(Action.Dispatch dispatch) {
    Kernel kernel = kernel(dispatch);
    List<Parameter> parameters = kernel.parameters();
    List<Object> arguments = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      @Nullable Range range = dispatch.buffers().get(i);
      arguments.add(
          range == null ? Constants.value(parameters, i, dispatch.constants()) : slice(range));
    }
    Args args = Args.of(arguments.toArray());
    Range counts = dispatch.counts();
    if (counts == null) {
      Workgroups grid = new Workgroups(dispatch.x(), dispatch.y(), dispatch.z());
      enqueue((wait, signal) -> queue.dispatch(wait, signal, kernel, grid, args));
    } else {
      IndirectWorkgroups grid = IndirectWorkgroups.of(slice(counts));
      enqueue((wait, signal) -> queue.dispatch(wait, signal, kernel, grid, args));
    }
  }

  @Override
  public void close() {
    executables.values().forEach(Executable::close);
    memories.values().forEach(DeviceBuffer::close);
    device.close();
    done.close();
  }
}
