// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.support.Attempt;
import org.jhal.kernels.workgroup.JavaGrid;
import org.jhal.kernels.workgroup.KernelView;
import org.jspecify.annotations.Nullable;

/** Executes the tasks of a stream. Owned by the stream's thread. */
final class MockExecution {
  /** Transfers with arrays go through a buffer of this size, a multiple of every element's size. */
  private static final int CHUNK = 1 << 16;

  private final MockDevice device;
  private final JavaGrid grid;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK).order(ByteOrder.nativeOrder());

  MockExecution(MockDevice device) {
    this.device = device;
    this.grid =
        new JavaGrid(device.workers(), device::work, device.groupThreads(), device.checks());
  }

  /** Runs one task. Returns its failure or null; always null on a lost device. */
  @Nullable HalException run(MockTask task) {
    if (task.kind == MockTask.Kind.BARRIER) {
      return null; // tasks run in order anyway
    }
    if (task.kind == MockTask.Kind.FREE) {
      task.target().drop();
      return null;
    }
    String what = "work";
    try {
      if (task.isDispatch()) {
        what = "kernel " + task.command().kernel().name();
      }
      device.enter("execute");
      if (task.kind == MockTask.Kind.ALLOCATE) {
        task.target().materialise();
      } else {
        command(task);
      }
      return null;
    } catch (Throwable t) { // a kernel's throwable fails its operation only
      if (device.isLost()) {
        return null; // the operation may be over: the task must not be used
      }
      return Attempt.aborted(what + " threw ", t);
    }
  }

  private void command(MockTask task) throws Throwable {
    Command command = task.command();
    switch (command.kind()) {
      case FILL ->
          fill(
              task.target(),
              task.targetOffset,
              task.length,
              command.pattern(),
              command.patternBytes());
      case UPDATE ->
          task.target()
              .segments()
              .write(task.targetOffset, ByteBuffer.wrap(command.array(), 0, (int) task.length));
      case UPLOAD -> upload(command.host(), task.target(), task.targetOffset, task.length);
      case READBACK -> readback(task.source(), task.sourceOffset, command.host(), task.length);
      case COPY -> copy(task);
      case DISPATCH ->
          dispatch(
              command,
              new Workgroups(command.groupsX(), command.groupsY(), command.groupsZ()),
              task.views);
      case INDIRECT_DISPATCH -> dispatch(command, grid(task), task.views);
      case EXTERNAL -> external(command.external(), task.views);
      case BARRIER, EVENT -> {}
    }
  }

  private Workgroups grid(MockTask task) {
    chunk.clear().limit((int) task.length);
    task.source().segments().read(task.sourceOffset, chunk);
    return task.command().kernel().grid(chunk.getInt(0), chunk.getInt(4), chunk.getInt(8));
  }

  private void dispatch(Command command, Workgroups count, KernelView[] buffers) throws Throwable {
    if (count.isEmpty()) {
      return;
    }
    LoadedKernel kernel = command.kernel();
    grid.run(
        ((MockModule) kernel.module()).kernel(kernel.index()),
        count.x(),
        count.y(),
        count.z(),
        command.array(),
        buffers);
  }

  private static void external(ExternalCall call, KernelView[] buffers) {
    MockLease lease = new MockLease(buffers);
    HalException failure = call.run(lease);
    lease.end();
    if (failure != null) {
      throw failure;
    }
  }

  private static void fill(
      MockMemory target, long offset, long length, int pattern, int patternBytes) {
    long word = pattern & 0xFFFF_FFFFL;
    if (patternBytes == 1) {
      word = (word & 0xFF) * 0x0101_0101L;
    } else if (patternBytes == 2) {
      word = (word & 0xFFFF) * 0x0001_0001L;
    }
    word |= word << 32;
    // The pattern is written byte by byte, the lowest first. Offsets are multiples of its length,
    // so the repeated word stays in phase from the start of the range on.
    long at = offset;
    long end = offset + length;
    while (at < end) {
      ByteBuffer part = target.segments().chunk(at, end - at).order(ByteOrder.LITTLE_ENDIAN);
      at += part.remaining();
      while (part.remaining() >= 8) {
        part.putLong(word);
      }
      for (long rest = word; part.hasRemaining(); rest >>>= 8) {
        part.put((byte) rest);
      }
    }
  }

  private void upload(HostMemory source, MockMemory target, long offset, long length) {
    for (long done = 0; done < length; ) {
      chunk.clear().limit((int) Math.min(CHUNK, length - done));
      source.read(done, chunk);
      chunk.flip();
      done += chunk.remaining();
      target.segments().write(offset + done - chunk.remaining(), chunk);
    }
  }

  private void readback(MockMemory source, long offset, HostMemory target, long length) {
    for (long done = 0; done < length; ) {
      chunk.clear().limit((int) Math.min(CHUNK, length - done));
      source.segments().read(offset + done, chunk);
      chunk.flip();
      int count = chunk.remaining();
      target.write(done, chunk);
      done += count;
    }
  }

  private static void copy(MockTask task) {
    long done = 0;
    while (done < task.length) {
      ByteBuffer from =
          task.source().segments().chunk(task.sourceOffset + done, task.length - done);
      done += from.remaining();
      task.target().segments().write(task.targetOffset + done - from.remaining(), from);
    }
  }
}
