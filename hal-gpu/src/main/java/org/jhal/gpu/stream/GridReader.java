// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import java.nio.ByteBuffer;
import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.Submission;
import org.jhal.driver.support.BackOff;
import org.jhal.gpu.graph.GraphStream;
import org.jhal.gpu.graph.OneNodeGraphs;
import org.jhal.gpu.memory.HostBlock;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Reads the grids of indirect dispatches, as the runtimes take grids from the host only: copies the
 * counts to page-locked memory in stream order, and waits until the stream has got there.
 *
 * <p>Used by the thread that issues, which must be one that may block.
 */
final class GridReader {
  /** How many native commands a read and the launch behind it are. */
  static final int WEIGHT = 3;

  /** How long a thread polls without a pause: a chain of such dispatches has the device idle. */
  private static final long SPIN_NANOS = 50_000;

  private final GpuCore core;
  private final GpuRuntime runtime;
  private final @Nullable OneNodeGraphs oneNodes;
  private @Nullable HostBlock memory; // null until the first read
  private @Nullable ByteBuffer counts; // its content
  private long event; // 0 until then

  /** Reads grids with graphs of one node if there are any. */
  GridReader(GpuCore core, @Nullable OneNodeGraphs oneNodes) {
    this.core = core;
    this.runtime = core.runtime();
    this.oneNodes = oneNodes;
  }

  /**
   * Waits until everything before in the stream is over, and returns the grid of an indirect
   * dispatch.
   *
   * @throws HalException OUT_OF_RANGE if the device does not take the grid; UNAVAILABLE if it is
   *     lost; RESOURCE_EXHAUSTED if no memory can be page-locked
   */
  Workgroups read(GraphStream stream, Command command, Submission submission) {
    if (event == 0) {
      event = runtime.createEvent(false);
    }
    GpuMemory source = GpuMemory.of(command.source(), submission);
    long offset = submission.offset(command.source());
    // A runtime copies from host to host itself: the thread would wait in it for the stream, with a
    // lock that the calls of other threads need.
    ByteBuffer numbers =
        source.place() == GpuMemory.HOST
            ? source.map(offset, IndirectWorkgroups.BYTES).bytes()
            : copy(stream, command, submission, source.address() + offset);
    runtime.recordEvent(event, stream.handle());
    runtime.gate().awaitWork(this::awaitEvent);
    return command.kernel().grid(numbers.getInt(0), numbers.getInt(4), numbers.getInt(8));
  }

  /** Copies the counts in stream order; returns where they will be. */
  private ByteBuffer copy(GraphStream stream, Command command, Submission submission, long source) {
    HostBlock target = memory;
    ByteBuffer content = counts;
    if (target == null || content == null) {
      target = HostBlock.pinned(core, IndirectWorkgroups.BYTES);
      memory = target;
      content = target.view(0, IndirectWorkgroups.BYTES);
      counts = content;
    }
    OneNodeGraphs singles = oneNodes;
    if (singles == null || !singles.readGrid(stream, command, submission, target.address())) {
      runtime.copyToHost(stream.handle(), target.hostAddress(), source, IndirectWorkgroups.BYTES);
    }
    return content;
  }

  private void awaitEvent() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < SPIN_NANOS) {
      if (runtime.queryEvent(event)) {
        return;
      }
      Thread.onSpinWait();
    }
    BackOff.await(this, BackOff.never(), () -> runtime.queryEvent(event));
  }

  /** Destroys its event, when the stream is idle. */
  void close() {
    if (event != 0) {
      long ended = event;
      event = 0;
      runtime.destroyEvent(ended);
    }
  }

  /** Frees its memory, once all streams of the device are closed. */
  void freeMemory() {
    HostBlock ended = memory;
    memory = null;
    counts = null;
    if (ended != null) {
      ended.free();
    }
  }
}
