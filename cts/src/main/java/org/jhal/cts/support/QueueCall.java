// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.Kernel;
import org.jhal.Reduction;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/**
 * Every call that enqueues one operation: one for each {@link OperationKind} that is one operation,
 * and others that an engine may treat in a way of their own.
 */
public enum QueueCall {
  BARRIER,
  EXECUTE,
  /** Of a reusable recording, with a table. */
  EXECUTE_SLOTS,
  DISPATCH,
  INDIRECT_DISPATCH,
  FILL,
  UPDATE,
  UPLOAD,
  READBACK,
  COPY,
  COPY_TO_SECOND,
  COPY_FROM_SECOND,
  ALLOCA,
  DEALLOCA,
  HOST_CALL,
  NON_BLOCKING_HOST_CALL,
  FILE_READ,
  FILE_WRITE,
  EXTERNAL,
  /** The last rank waits, and the first one signals. */
  COLLECTIVE;

  /** A call for which everything but the fences is prepared. */
  @FunctionalInterface
  public interface Prepared {
    /** Makes the call. */
    void enqueue(Fence waits, Fence signals);
  }

  /**
   * Prepares a call on the first queue of the device under test, which is accepted once. If that
   * device cannot do it, or there is no second one that it needs, the test is unsupported.
   *
   * @param buffer of the device under test, of 16 bytes, which the operation may write
   * @param ran counts the runs of a host call
   */
  public Prepared prepare(Cts cts, DeviceBuffer buffer, AtomicInteger ran) {
    return switch (this) {
      case DISPATCH -> {
        Kernel kernel = cts.kernel("write_parameters"); // which cannot be loaded any more later
        yield (waits, signals) ->
            cts.queue()
                .dispatch(waits, signals, kernel, Workgroups.of(1), Args.of(buffer, 1, 2, 3));
      }
      case EXECUTE_SLOTS -> executeSlots(cts, buffer);
      case COPY_TO_SECOND -> {
        DeviceBuffer there = cts.buffer(cts.second(), new byte[16]);
        yield (waits, signals) -> cts.queue().copy(waits, signals, buffer, 0, there, 0, 16);
      }
      case COPY_FROM_SECOND -> {
        DeviceBuffer there = cts.buffer(cts.second(), new byte[16]);
        yield (waits, signals) -> cts.queue().copy(waits, signals, there, 0, buffer, 0, 16);
      }
      case DEALLOCA -> dealloca(cts);
      case HOST_CALL, NON_BLOCKING_HOST_CALL -> {
        HostCall.Mode mode =
            this == HOST_CALL ? HostCall.Mode.BLOCKING : HostCall.Mode.NON_BLOCKING;
        yield (waits, signals) ->
            cts.queue().hostCall(waits, signals, mode, context -> ran.incrementAndGet());
      }
      case COLLECTIVE -> collective(cts, buffer);
      default -> {
        OperationKind kind = OperationKind.valueOf(name());
        kind.need(cts);
        yield (waits, signals) -> kind.enqueue(cts, cts.queue(), waits, signals, buffer);
      }
    };
  }

  private static Prepared executeSlots(Cts cts, DeviceBuffer buffer) {
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.fill(Slot.of(0), 0, 16, FillPattern.ZERO);
    commands.end();
    return (waits, signals) ->
        cts.queue().execute(waits, signals, commands, BindingTable.of(buffer));
  }

  private static Prepared dealloca(Cts cts) {
    TimelineSemaphore made = cts.semaphore();
    DeviceBuffer scratch =
        cts.closing(cts.queue().alloca(Fence.NONE, made.at(1), 64, BufferParams.DEVICE));
    Waits.awaitReached(made, 1);
    return (waits, signals) -> cts.queue().dealloca(waits, signals, scratch);
  }

  private static Prepared collective(Cts cts, DeviceBuffer buffer) {
    List<Device> devices = cts.ranks(2);
    CollectiveGroup group = cts.closing(CollectiveGroup.of(devices, Options.DEFAULT));
    List<DeviceBuffer> sources =
        devices.stream().map(device -> cts.buffer(device, new byte[16])).toList();
    DeviceBuffer there = cts.buffer(devices.get(1), new byte[16]);
    return (waits, signals) ->
        group.allReduce(
            Reduction.SUM,
            ElementType.I32,
            List.of(
                new Rank(Fence.NONE, signals, sources.get(0), buffer),
                new Rank(waits, Fence.NONE, sources.get(1), there)));
  }
}
