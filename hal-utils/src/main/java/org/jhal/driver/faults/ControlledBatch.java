package org.jhal.driver.faults;

import org.jhal.driver.CommandList;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/** A batch for a {@link ControlledStream}, whose submission is controlled as well. */
record ControlledBatch<E>(ControlledBackend<?> device, StreamBatch<E> real)
    implements StreamBatch<E> {
  @Override
  public int waitCount() {
    return real.waitCount();
  }

  @Override
  public E waitEvent(int index) {
    return real.waitEvent(index);
  }

  @Override
  public @Nullable CommandList commands() {
    return real.commands();
  }

  @Override
  public @Nullable Allocation allocation() {
    return real.allocation();
  }

  @Override
  public @Nullable Deallocation deallocation() {
    return real.deallocation();
  }

  @Override
  public Submission submission() {
    return new ControlledSubmission(device, real.submission());
  }

  @Override
  public @Nullable E event() {
    return real.event();
  }
}
