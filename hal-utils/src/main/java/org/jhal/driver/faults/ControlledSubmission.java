package org.jhal.driver.faults;

import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;

/** A submission to a {@link ControlledStream}, whose host completions can fail as well. */
record ControlledSubmission(ControlledBackend<?> device, Submission real) implements Submission {
  @Override
  public DeviceMemory memory(Operand operand) {
    return real.memory(operand);
  }

  @Override
  public long offset(Operand operand) {
    return real.offset(operand);
  }

  @Override
  public long length(Operand operand) {
    return real.length(operand);
  }

  @Override
  public boolean waitsReached() {
    return real.waitsReached();
  }

  @Override
  public boolean hasRoomForEach() {
    return real.hasRoomForEach();
  }

  @Override
  public void putBack() {
    real.putBack();
  }

  @Override
  public boolean wasPutBack() {
    return real.wasPutBack();
  }

  @Override
  public boolean mayBlock() {
    return real.mayBlock();
  }

  @Override
  public void inBackground(Runnable work) {
    real.inBackground(work);
  }

  @Override
  public boolean isTimed() {
    return real.isTimed();
  }

  @Override
  public void ranOnDevice(long begin, long end, long error) {
    real.ranOnDevice(begin, end, error);
  }

  @Override
  public void moves(Command command, TransferPath path) {
    real.moves(command, path);
  }

  @Override
  public void fail(HalException failure) {
    real.fail(failure);
  }

  @Override
  public void afterwards(HostCompletion completion) {
    real.afterwards(
        new HostCompletion() {
          /** Does the real work outside {@link ControlledBackend#run}, for which a loss waits. */
          @Override
          public void run(Context context) throws Exception {
            device.run("hostCompletion", () -> {});
            completion.run(context);
          }

          @Override
          public void retire() {
            completion.retire();
          }
        });
  }

  @Override
  public void whenFired(Runnable release) {
    real.whenFired(release);
  }
}
