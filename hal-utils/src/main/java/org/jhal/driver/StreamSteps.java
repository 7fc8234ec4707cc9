// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import com.google.common.base.Throwables;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Submits to a stream one part of a batch at a time, for streams that wrap another one and for
 * tests. Each method throws what has failed: the failure that the stream returned, or the cause of
 * an {@link UncoveredWorkException}.
 *
 * <p>To be used as the stream's {@link NativeStream#submit}.
 *
 * @param <E> the driver's native event
 */
public final class StreamSteps<E> {
  private final NativeStream<E> stream;

  /** Steps on {@code stream}. */
  public StreamSteps(NativeStream<E> stream) {
    this.stream = stream;
  }

  /** Makes the stream wait for an event. */
  public void waitEvent(E event) {
    submit(
        new StreamBatch<E>() {
          @Override
          public int waitCount() {
            return 1;
          }

          @Override
          public E waitEvent(int index) {
            return event;
          }
        });
  }

  /** Issues commands. */
  public void issue(CommandList commands, Submission submission) {
    submit(new Commands<>(commands, submission));
  }

  private record Commands<E>(CommandList commands, Submission submission)
      implements StreamBatch<E> {}

  /** Allocates in stream order. */
  public DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    DeviceMemory[] made = new DeviceMemory[1];
    submit(new Allocation<>(bytes, params, submission, made));
    return Objects.requireNonNull(made[0]);
  }

  private record Allocation<E>(
      long bytes, BufferParams params, Submission submission, DeviceMemory[] made)
      implements StreamBatch<E>, StreamBatch.Allocation {
    @Override
    public StreamBatch.Allocation allocation() {
      return this;
    }

    @Override
    public void allocated(DeviceMemory memory) {
      made[0] = memory;
    }
  }

  /** Frees in stream order. */
  public void freeAsync(DeviceMemory memory) {
    submit(new Deallocation<>(memory));
  }

  private record Deallocation<E>(DeviceMemory memory)
      implements StreamBatch<E>, StreamBatch.Deallocation {
    @Override
    public StreamBatch.Deallocation deallocation() {
      return this;
    }

    @Override
    public void taken() {}
  }

  /** Records an event. */
  public void recordEvent(E event) {
    submit(new Recording<>(event));
  }

  private record Recording<E>(E event) implements StreamBatch<E> {}

  private void submit(StreamBatch<E> part) {
    Throwable failure;
    try {
      failure = stream.submit(part);
    } catch (UncoveredWorkException e) {
      failure = e.getCause();
    }
    if (failure != null) {
      Throwables.throwIfUnchecked(failure);
      throw new HalException(Status.INTERNAL, "unexpected " + failure, failure);
    }
  }
}
