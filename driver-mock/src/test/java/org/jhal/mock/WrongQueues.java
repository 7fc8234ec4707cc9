// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/** Defects of queues. */
final class WrongQueues {
  private WrongQueues() {}

  /** It reads the bytes of an update when the update runs, not at the call. */
  static final class CapturesUpdatesLate extends ForwardingQueue {
    CapturesUpdatesLate(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void update(
        Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset) {
      upload(waits, signals, HostMemory.of(source), target, offset);
    }
  }

  /** It reads the caller's byte buffer directly instead of a duplicate. */
  static final class MovesPositions extends ForwardingQueue {
    MovesPositions(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void upload(
        Fence waits, Fence signals, ByteBuffer source, DeviceBuffer target, long offset) {
      super.upload(waits, signals, source, target, offset);
      source.position(source.limit());
    }
  }

  /** Once a wait has failed, all later operations fail with it. */
  static final class StaysFailed extends ForwardingQueue {
    private volatile @Nullable Timepoint failed;

    StaysFailed(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    Fence waits(Fence waits) {
      Timepoint poison = failed;
      if (poison != null) {
        return poison;
      }
      Fence right = super.waits(waits);
      for (int i = 0; i < right.size(); i++) {
        Timepoint timepoint = right.semaphore(i).at(right.value(i));
        timepoint
            .semaphore()
            .onReach(
                timepoint.value(),
                failure -> {
                  if (failure != null) {
                    failed = timepoint;
                  }
                });
      }
      return right;
    }
  }

  /** It checks the arguments of a fill only if no wait has failed. */
  static final class ChecksAfterItsWaits extends ForwardingQueue {
    ChecksAfterItsWaits(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void fill(
        Fence waits,
        Fence signals,
        DeviceBuffer target,
        long offset,
        long length,
        FillPattern pattern) {
      for (int i = 0; i < waits.size(); i++) {
        if (waits.semaphore(i).failure() != null) {
          barrier(waits, signals);
          return;
        }
      }
      super.fill(waits, signals, target, offset, length, pattern);
    }
  }

  /** It counts all operations of the device as its own. */
  static final class CountsForAll extends ForwardingQueue {
    CountsForAll(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public long openOperations() {
      return device.statistics().openOperations();
    }
  }

  /** It ignores all waits but the first. */
  static final class TakesOneWait extends ForwardingQueue {
    TakesOneWait(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    Fence waits(Fence waits) {
      Fence right = super.waits(waits);
      return right.size() == 0 ? right : right.semaphore(0).at(right.value(0));
    }
  }

  /** It runs one workgroup for an empty grid. */
  static final class RunsEmptyGrids extends ForwardingQueue {
    RunsEmptyGrids(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void dispatch(Fence waits, Fence signals, Kernel kernel, Workgroups count, Args args) {
      super.dispatch(waits, signals, kernel, count.isEmpty() ? Workgroups.of(1) : count, args);
    }
  }

  /** It runs one workgroup, whatever the grid in memory is. */
  static final class IgnoresGridsInMemory extends ForwardingQueue {
    IgnoresGridsInMemory(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void dispatch(
        Fence waits, Fence signals, Kernel kernel, IndirectWorkgroups count, Args args) {
      super.dispatch(waits, signals, kernel, Workgroups.of(1), args);
    }
  }

  /** It binds a command buffer once, at its first submission. */
  static final class KeepsTheFirstTable extends ForwardingQueue {
    private final Map<CommandBuffer, BindingTable> tables = new ConcurrentHashMap<>();

    KeepsTheFirstTable(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void execute(Fence waits, Fence signals, CommandBuffer commands, BindingTable bindings) {
      super.execute(
          waits, signals, commands, tables.computeIfAbsent(commands, key -> copy(bindings)));
    }

    private static BindingTable copy(BindingTable bindings) {
      BindingTable copy = new BindingTable(bindings.size());
      for (int i = 0; i < bindings.size(); i++) {
        DeviceBuffer buffer = bindings.get(i);
        if (buffer != null) {
          copy.set(i, buffer);
        }
      }
      return copy;
    }
  }

  /** From the third submission of a command buffer on, it changes the first slot only. */
  static final class ChangesOneSlot extends ForwardingQueue {
    private final Map<CommandBuffer, BindingTable> tables = new ConcurrentHashMap<>();
    private final Map<CommandBuffer, Integer> uses = new ConcurrentHashMap<>();

    ChangesOneSlot(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void execute(Fence waits, Fence signals, CommandBuffer commands, BindingTable bindings) {
      BindingTable bound = KeepsTheFirstTable.copy(bindings);
      if (uses.merge(commands, 1, Integer::sum) > 2) {
        BindingTable kept = tables.get(commands);
        for (int i = 1; kept != null && i < bindings.size(); i++) {
          DeviceBuffer buffer = kept.get(i);
          if (buffer != null) {
            bound.set(i, buffer);
          }
        }
      } else {
        tables.put(commands, bound);
      }
      super.execute(waits, signals, commands, bound);
    }
  }

  /** It reads a file from its beginning. */
  static final class ReadsFromTheBeginning extends ForwardingQueue {
    ReadsFromTheBeginning(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void read(
        Fence waits,
        Fence signals,
        DeviceFile file,
        long fileOffset,
        DeviceBuffer target,
        long offset,
        long length) {
      super.read(waits, signals, file, 0, target, offset, length);
    }
  }

  /** Its alloca blocks the caller, because the native call needs its stream. */
  static final class AllocatesWhileTheCallerWaits extends ForwardingQueue {
    AllocatesWhileTheCallerWaits(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public DeviceBuffer alloca(Fence waits, Fence signals, long bytes, BufferParams params) {
      try {
        waits.awaitAll();
      } catch (InterruptedException e) {
        throw new HalException(Status.CANCELLED, "interrupted", e);
      }
      return super.alloca(waits, signals, bytes, params);
    }
  }

  /** It calls the host again when it retires the call. */
  static final class CallsTheHostTwice extends ForwardingQueue {
    CallsTheHostTwice(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void hostCall(Fence waits, Fence signals, HostCall.Mode mode, HostCall call) {
      super.hostCall(
          waits,
          signals,
          mode,
          context -> {
            call.run(context);
            call.run(context);
          });
    }
  }

  /** It makes a semaphore for each barrier and never closes it. */
  static final class LeaksSemaphores extends ForwardingQueue {
    // Or the garbage collector could reclaim them before the suite looks.
    private final List<TimelineSemaphore> leaked = new CopyOnWriteArrayList<>();

    LeaksSemaphores(Device device, DeviceQueue right) {
      super(device, right);
    }

    @Override
    public void barrier(Fence waits, Fence signals) {
      TimelineSemaphore added = device.createSemaphore(0);
      leaked.add(added);
      super.barrier(added.at(0).and(waits), signals);
    }
  }
}
