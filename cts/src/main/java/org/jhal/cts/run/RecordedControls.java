// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.util.List;
import java.util.Set;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Controls;

/**
 * The controls that a test gets. They record what the test does with them, so that a failure can
 * report it.
 *
 * <p>Thread-safe.
 */
final class RecordedControls implements Controls {
  private static final int MOST = 50; // lines; more would not help

  private final Controls real;
  private final String where;
  private final List<String> record;

  /**
   * Wraps {@code real}.
   *
   * @param where the start of each line
   * @param record collects the lines; thread-safe
   */
  RecordedControls(Controls real, String where, List<String> record) {
    this.real = real;
    this.where = where;
    this.record = record;
  }

  private void add(String what) {
    if (record.size() < MOST) {
      record.add(where + what);
    }
  }

  @Override
  public void pause(DeviceQueue queue) {
    add("queue " + queue.index() + " held");
    real.pause(queue);
  }

  @Override
  public void resume(DeviceQueue queue) {
    add("queue " + queue.index() + " released");
    real.resume(queue);
  }

  @Override
  public boolean pauseGroups() {
    add("the hidden stream held");
    return real.pauseGroups();
  }

  @Override
  public void resumeGroups() {
    add("the hidden stream released");
    real.resumeGroups();
  }

  @Override
  public Set<String> calls() {
    return real.calls();
  }

  @Override
  public void failNext(String call, int nth, Status status, boolean sticky) {
    add(
        "use "
            + nth
            + " of "
            + call
            + " from then on fails with "
            + status
            + (sticky ? ", and loses the device" : ""));
    real.failNext(call, nth, status, sticky);
  }

  @Override
  public String leftovers() {
    return real.leftovers();
  }

  @Override
  public void loseDevice(HalException cause) {
    add("the device lost with " + cause.status() + ": " + cause.getMessage());
    real.loseDevice(cause);
  }

  @Override
  public void reset() {
    add("the controls reset");
    real.reset();
  }
}
