// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;

/** A submission that notes what a stream reports. */
final class FakeSubmission implements Submission {
  final boolean isTimed;
  final List<HalException> failures = Collections.synchronizedList(new ArrayList<>());
  final List<Command> moves = Collections.synchronizedList(new ArrayList<>());

  /** The beginnings and ends of the work. */
  final List<Long> times = Collections.synchronizedList(new ArrayList<>());

  /** Is called before the times are noted. */
  volatile Runnable atTimes = () -> {};

  FakeSubmission() {
    this(false);
  }

  FakeSubmission(boolean isTimed) {
    this.isTimed = isTimed;
  }

  private static FakeCommand.Range range(Operand operand) {
    return (FakeCommand.Range) operand;
  }

  @Override
  public DeviceMemory memory(Operand operand) {
    return range(operand).memory();
  }

  @Override
  public long offset(Operand operand) {
    return range(operand).offset();
  }

  @Override
  public long length(Operand operand) {
    return range(operand).length();
  }

  @Override
  public boolean waitsReached() {
    return false;
  }

  @Override
  public boolean hasRoomForEach() {
    return true;
  }

  @Override
  public void putBack() {
    throw new AssertionError("there is room for each");
  }

  @Override
  public boolean wasPutBack() {
    return false;
  }

  @Override
  public boolean mayBlock() {
    return true;
  }

  @Override
  public void inBackground(Runnable work) {}

  @Override
  public boolean isTimed() {
    return isTimed;
  }

  @Override
  public void ranOnDevice(long begin, long end, long error) {
    atTimes.run();
    times.add(begin);
    times.add(end);
  }

  @Override
  public void moves(Command command, TransferPath path) {
    moves.add(command);
  }

  @Override
  public void fail(HalException failure) {
    failures.add(failure);
  }

  @Override
  public void afterwards(HostCompletion completion) {
    throw new AssertionError("the mock leaves nothing to the host");
  }

  @Override
  public void whenFired(Runnable release) {
    throw new AssertionError("the mock has nothing to release");
  }
}
