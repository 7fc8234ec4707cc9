// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.cts.support.TestData;

/**
 * The steps of a {@link FaultWorkload}, in the order in which they were started. A step that is
 * rejected at the call fails in the same way as one that was accepted.
 */
public final class FaultSteps {
  private final List<FaultStep<?>> all = new ArrayList<>();

  /** Enqueues an operation. */
  @FunctionalInterface
  public interface Enqueueing {
    /** Enqueues it. */
    void enqueue(Fence waits, Fence signals);
  }

  /** Enqueues an operation that returns a buffer. */
  @FunctionalInterface
  public interface Alloca {
    /** Enqueues it. */
    DeviceBuffer enqueue(Fence waits, Fence signals);
  }

  /** Starts without steps. */
  public FaultSteps() {}

  /** All steps, in the order in which they were started. */
  public List<FaultStep<?>> all() {
    return all;
  }

  private <T> FaultStep<T> add(String name, Device on, FaultStep<?>... needs) {
    FaultStep<T> step = new FaultStep<>(name, on, needs);
    all.add(step);
    return step;
  }

  /** Adds a step in which the host creates something immediately. */
  public <T> FaultStep<T> make(String name, Device on, Supplier<T> maker, FaultStep<?>... needs) {
    FaultStep<T> step = add(name, on, needs);
    try {
      step.set(maker.get());
      step.done.signal(1);
    } catch (HalException e) {
      step.done.fail(e);
    }
    return step;
  }

  /** Adds a step in which the host does something after all that it needs has ended. */
  public FaultStep<Void> host(String name, Device on, Runnable action, FaultStep<?>... needs)
      throws InterruptedException {
    FaultStep<Void> step = add(name, on, needs);
    try {
      for (FaultStep<?> need : needs) {
        need.awaitOver();
        HalException failure = need.failure();
        if (failure != null) {
          throw failure.again();
        }
      }
      action.run();
      step.done.signal(1);
    } catch (HalException e) {
      step.done.fail(e);
    }
    return step;
  }

  /** Adds a step that is an operation. */
  public FaultStep<Void> enqueue(Device on, String name, Enqueueing call, FaultStep<?>... needs) {
    FaultStep<Void> step = add(name, on, needs);
    try {
      call.enqueue(step.waits(), step.signal());
    } catch (HalException refused) {
      step.done.fail(refused);
    }
    return step;
  }

  /** Adds a step that is an operation which returns a buffer. */
  public FaultStep<DeviceBuffer> alloca(
      Device on, String name, Alloca call, FaultStep<?>... needs) {
    FaultStep<DeviceBuffer> step = add(name, on, needs);
    try {
      step.set(call.enqueue(step.waits(), step.signal()));
    } catch (HalException refused) {
      step.done.fail(refused);
    }
    return step;
  }

  /** Adds a readback of the start of a buffer, which must contain {@code expected}. */
  public FaultStep<Void> read(
      DeviceQueue queue, FaultStep<DeviceBuffer> buffer, byte[] expected, FaultStep<?>... needs) {
    String name = "read back " + buffer.name;
    byte[] target = new byte[expected.length];
    FaultStep<Void> step =
        enqueue(
            queue.device(),
            name,
            (w, s) -> queue.readback(w, s, buffer.get(), 0, ByteBuffer.wrap(target)),
            Stream.concat(Stream.of(buffer), Stream.of(needs)).toArray(FaultStep<?>[]::new));
    step.whenReached(() -> TestData.assertBytes(expected, target, name));
    return step;
  }

  /**
   * Adds a host call, which runs at most once. If it is blocking, it must have started if a signal
   * that depends on it is reached.
   */
  public FaultStep<Void> call(
      DeviceQueue queue, HostCall.Mode mode, HostCall body, FaultStep<?>... needs) {
    AtomicInteger runs = new AtomicInteger();
    String name = mode + " host call on " + queue;
    FaultStep<Void> step =
        enqueue(
            queue.device(),
            name,
            (w, s) ->
                queue.hostCall(
                    w,
                    s,
                    mode,
                    context -> {
                      assertEquals(1, runs.incrementAndGet(), name);
                      body.run(context);
                    }),
            needs);
    if (mode == HostCall.Mode.BLOCKING) {
      step.whenReached(() -> assertEquals(1, runs.get(), name));
    }
    return step;
  }
}
