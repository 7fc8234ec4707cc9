// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jhal.HalException;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.StreamBatch;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose runtime's events fire only once, such as OpenCL's events, or the values of a
 * timeline. Each recording is a native event of its own. A driver says how these are made, waited
 * for, queried and released.
 *
 * <p>A native event stays valid during each call that gets it, and may be {@linkplain #release
 * released} when that returns, even if the stream has not reached the wait: the runtime keeps what
 * its streams wait for, as it does where events count references or are values of a timeline. For
 * other runtimes use {@link StepwiseStream} with {@link ReusableEvent}, and keep the recording
 * until the stream is past the wait.
 *
 * @param <N> the runtime's type of event
 */
public abstract class OneShotStream<N> extends StepwiseStream<ReusableEvent<N>> {
  /** For subclasses. */
  protected OneShotStream() {}

  /** Puts a native event into the stream; see {@link #recordEvent} for what it covers. */
  protected abstract N record();

  /**
   * Makes work that is issued to this stream later wait for native events; see {@link #waitEvents}.
   *
   * @param events at least one; immutable
   */
  protected abstract void waitFor(List<N> events);

  /** See {@link #queryEvent}. */
  protected abstract boolean hasFired(N event);

  /** See {@link #synchronizeEvent}. */
  protected abstract void synchronize(N event);

  /** See {@link #outcome}: how the work behind a native event that has fired has ended. */
  protected @Nullable HalException outcomeOf(N event) {
    return null;
  }

  /** Releases a native event. Called once for each; what it throws is logged. */
  protected void release(N event) {}

  @Override
  public final ReusableEvent<N> createEvent() {
    return new ReusableEvent<>(this::release);
  }

  @Override
  public final void destroyEvent(ReusableEvent<N> event) {
    event.close();
  }

  @Override
  protected final void recordEvent(ReusableEvent<N> event) {
    event.record(record());
  }

  @Override
  protected final void waitEvent(ReusableEvent<N> event) {
    try (ReusableEvent.Recording<N> latest = event.latest()) {
      waitFor(List.of(latest.event()));
    }
  }

  @Override
  protected final void waitEvents(StreamBatch<ReusableEvent<N>> batch) {
    int count = batch.waitCount();
    if (count == 0) {
      return;
    }
    List<ReusableEvent.Recording<N>> latest = new ArrayList<>(count);
    List<N> events = new ArrayList<>(count);
    try {
      for (int i = 0; i < count; i++) {
        ReusableEvent.Recording<N> recording = batch.waitEvent(i).latest();
        latest.add(recording);
        events.add(recording.event());
      }
      waitFor(Collections.unmodifiableList(events));
    } finally {
      for (ReusableEvent.Recording<N> recording : latest) {
        recording.close();
      }
    }
  }

  @Override
  public final boolean queryEvent(ReusableEvent<N> event) {
    try (ReusableEvent.Recording<N> latest = event.latest()) {
      return hasFired(latest.event());
    }
  }

  @Override
  public final void synchronizeEvent(ReusableEvent<N> event) {
    try (ReusableEvent.Recording<N> latest = event.latest()) {
      synchronize(latest.event());
    }
  }

  @Override
  public final @Nullable HalException outcome(ReusableEvent<N> event) {
    try (ReusableEvent.Recording<N> latest = event.latest()) {
      return outcomeOf(latest.event());
    }
  }
}
