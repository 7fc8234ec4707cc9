package org.jhal.driver;

import com.google.common.base.Throwables;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

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
    submit(
        new StreamBatch<E>() {
          @Override
          public CommandList commands() {
            return commands;
          }

          @Override
          public Submission submission() {
            return submission;
          }
        });
  }

  /** Allocates in stream order. */
  public DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    SingleAllocation<E> allocation = new SingleAllocation<>(bytes, params, submission);
    submit(allocation);
    return Objects.requireNonNull(allocation.memory);
  }

  private static final class SingleAllocation<E> implements StreamBatch<E>, StreamBatch.Allocation {
    private final long bytes;
    private final BufferParams params;
    private final Submission submission;
    private @Nullable DeviceMemory memory; // once it is allocated

    SingleAllocation(long bytes, BufferParams params, Submission submission) {
      this.bytes = bytes;
      this.params = params;
      this.submission = submission;
    }

    @Override
    public Allocation allocation() {
      return this;
    }

    @Override
    public Submission submission() {
      return submission;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public BufferParams params() {
      return params;
    }

    @Override
    public void allocated(DeviceMemory allocated) {
      memory = allocated;
    }
  }

  /** Frees in stream order. */
  public void freeAsync(DeviceMemory memory) {
    submit(new SingleDeallocation<>(memory));
  }

  private record SingleDeallocation<E>(DeviceMemory memory)
      implements StreamBatch<E>, StreamBatch.Deallocation {
    @Override
    public Deallocation deallocation() {
      return this;
    }

    @Override
    public void taken() {}
  }

  /** Records an event. */
  public void recordEvent(E event) {
    submit(
        new StreamBatch<E>() {
          @Override
          public E event() {
            return event;
          }
        });
  }

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
