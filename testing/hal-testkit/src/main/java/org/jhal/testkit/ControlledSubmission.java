// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;

/** A submission as it is, whose host completion can fail. */
final class ControlledSubmission implements Submission {
  private final ControlledBackend<?> device;
  private final Submission submission;

  ControlledSubmission(ControlledBackend<?> device, Submission submission) {
    this.device = device;
    this.submission = submission;
  }

  /** The work itself is done outside {@link ControlledBackend#run}, for which a loss waits. */
  @Override
  public void afterwards(HostCompletion completion) {
    submission.afterwards(new Completion(completion));
  }

  final class Completion implements HostCompletion {
    private final HostCompletion inner;

    Completion(HostCompletion inner) {
      this.inner = inner;
    }

    @Override
    public void run(Context context) throws Exception {
      device.run("hostCompletion", () -> {});
      inner.run(context);
    }

    @Override
    public boolean isBrief() {
      return inner.isBrief();
    }

    @Override
    public boolean advance() {
      return inner.advance();
    }

    @Override
    public void retire() {
      inner.retire();
    }
  }

  @Override
  public DeviceMemory memory(Operand operand) {
    return submission.memory(operand);
  }

  @Override
  public long offset(Operand operand) {
    return submission.offset(operand);
  }

  @Override
  public long length(Operand operand) {
    return submission.length(operand);
  }

  @Override
  public boolean waitsReached() {
    return submission.waitsReached();
  }

  @Override
  public boolean hasRoomForEach() {
    return submission.hasRoomForEach();
  }

  @Override
  public void putBack() {
    submission.putBack();
  }

  @Override
  public boolean wasPutBack() {
    return submission.wasPutBack();
  }

  @Override
  public boolean mayBlock() {
    return submission.mayBlock();
  }

  @Override
  public void inBackground(Runnable work) {
    submission.inBackground(work);
  }

  @Override
  public boolean isTimed() {
    return submission.isTimed();
  }

  @Override
  public boolean timesCommands() {
    return submission.timesCommands();
  }

  @Override
  public void commandRan(int index, long begin, long end, long error) {
    submission.commandRan(index, begin, end, error);
  }

  @Override
  public void ranOnDevice(long begin, long end, long error) {
    submission.ranOnDevice(begin, end, error);
  }

  @Override
  public void moves(Command command, TransferPath path) {
    submission.moves(command, path);
  }

  @Override
  public void fail(HalException failure) {
    submission.fail(failure);
  }

  @Override
  public void whenFired(Runnable release) {
    submission.whenFired(release);
  }
}
