// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jspecify.annotations.Nullable;

/** A native stream that forwards every call. */
class ForwardingStream extends StepwiseStream<MockEvent> {
  final NativeStream<MockEvent> right;
  final StreamSteps<MockEvent> steps;

  ForwardingStream(NativeStream<MockEvent> right) {
    this.right = right;
    this.steps = new StreamSteps<>(right);
  }

  @Override
  public long bindToThread() {
    return right.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    right.unbindFromThread(token);
  }

  @Override
  public MockEvent createEvent() {
    return right.createEvent();
  }

  @Override
  public void destroyEvent(MockEvent event) {
    right.destroyEvent(event);
  }

  @Override
  protected void recordEvent(MockEvent event) {
    steps.recordEvent(event);
  }

  @Override
  protected void waitEvent(MockEvent event) {
    steps.waitEvent(event);
  }

  @Override
  public boolean across(boolean mayBlock, Runnable body) {
    return right.across(mayBlock, body);
  }

  @Override
  public boolean queryEvent(MockEvent event) {
    return right.queryEvent(event);
  }

  @Override
  public void synchronizeEvent(MockEvent event) {
    right.synchronizeEvent(event);
  }

  @Override
  public @Nullable HalException outcome(MockEvent event) {
    return right.outcome(event);
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    steps.issue(commands, submission);
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return steps.allocAsync(bytes, params, submission);
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    steps.freeAsync(memory);
  }

  @Override
  public int capacity() {
    return right.capacity();
  }

  @Override
  public int weight(Command command) {
    return right.weight(command);
  }

  @Override
  public boolean issueMayBlock(CommandList commands) {
    return right.issueMayBlock(commands);
  }

  @Override
  public boolean allocMayBlock(BufferParams params) {
    return right.allocMayBlock(params);
  }

  @Override
  public boolean isInOrder() {
    return right.isInOrder();
  }

  @Override
  public boolean isIdle() {
    return right.isIdle();
  }

  @Override
  public void close() {
    right.close();
  }

  /** A submission that forwards every call. */
  static class ForwardingSubmission implements Submission {
    final Submission right;

    ForwardingSubmission(Submission right) {
      this.right = right;
    }

    @Override
    public DeviceMemory memory(Operand operand) {
      return right.memory(operand);
    }

    @Override
    public long offset(Operand operand) {
      return right.offset(operand);
    }

    @Override
    public long length(Operand operand) {
      return right.length(operand);
    }

    @Override
    public boolean waitsReached() {
      return right.waitsReached();
    }

    @Override
    public boolean hasRoomForEach() {
      return right.hasRoomForEach();
    }

    @Override
    public void putBack() {
      right.putBack();
    }

    @Override
    public boolean wasPutBack() {
      return right.wasPutBack();
    }

    @Override
    public boolean mayBlock() {
      return right.mayBlock();
    }

    @Override
    public void inBackground(Runnable work) {
      right.inBackground(work);
    }

    @Override
    public boolean isTimed() {
      return right.isTimed();
    }

    @Override
    public void ranOnDevice(long begin, long end, long error) {
      right.ranOnDevice(begin, end, error);
    }

    @Override
    public void moves(Command command, TransferPath path) {
      right.moves(command, path);
    }

    @Override
    public void fail(HalException failure) {
      right.fail(failure);
    }

    @Override
    public void afterwards(HostCompletion tail) {
      right.afterwards(tail);
    }

    @Override
    public void whenFired(Runnable release) {
      right.whenFired(release);
    }
  }
}
