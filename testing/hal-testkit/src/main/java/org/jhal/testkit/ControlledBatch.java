// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import org.jhal.driver.CommandList;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/** A batch as it is, with a submission whose host completion can fail. */
final class ControlledBatch<E> implements StreamBatch<E> {
  private final ControlledBackend<E> device;
  private final StreamBatch<E> batch;
  private @Nullable Submission submission; // made when it is asked for

  ControlledBatch(ControlledBackend<E> device, StreamBatch<E> batch) {
    this.device = device;
    this.batch = batch;
  }

  @Override
  public int waitCount() {
    return batch.waitCount();
  }

  @Override
  public E waitEvent(int index) {
    return batch.waitEvent(index);
  }

  @Override
  public @Nullable CommandList commands() {
    return batch.commands();
  }

  @Override
  public @Nullable Allocation allocation() {
    return batch.allocation();
  }

  @Override
  public @Nullable Deallocation deallocation() {
    return batch.deallocation();
  }

  @Override
  public Submission submission() {
    Submission made = submission;
    if (made == null) {
      made = new ControlledSubmission(device, batch.submission());
      submission = made;
    }
    return made;
  }

  @Override
  public @Nullable E event() {
    return batch.event();
  }
}
