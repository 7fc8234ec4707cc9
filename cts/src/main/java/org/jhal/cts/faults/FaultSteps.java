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
 * The steps of a {@link FaultWorkload}, in the order in which they were begun. A step that is
 * refused fails as it would have if it had been accepted.
 */
public final class FaultSteps {
  private final List<FaultStep<?>> all = new ArrayList<>();

  /** What a step hands to a queue. */
  @FunctionalInterface
  public interface Enqueueing {
    /** Hands it over. */
    void enqueue(Fence waits, Fence signals);
  }

  /** What a step hands to a queue that gives a buffer at once. */
  @FunctionalInterface
  public interface Alloca {
    /** Hands it over. */
    DeviceBuffer enqueue(Fence waits, Fence signals);
  }

  /** No steps yet. */
  public FaultSteps() {}

  /** All steps, in the order in which they were begun. */
  public List<FaultStep<?>> all() {
    return all;
  }

  private <T> FaultStep<T> add(String name, Device on, FaultStep<?>... needs) {
    FaultStep<T> step = new FaultStep<>(name, on, needs);
    all.add(step);
    return step;
  }

  /** The host makes something, now. */
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

  /** The host does something when all that it needs is over. */
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

  /** A queue does something. */
  public FaultStep<Void> enqueue(Device on, String name, Enqueueing call, FaultStep<?>... needs) {
    FaultStep<Void> step = add(name, on, needs);
    try {
      call.enqueue(step.waits(), step.signal());
    } catch (HalException refused) {
      step.done.fail(refused);
    }
    return step;
  }

  /** A queue makes a buffer. */
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

  /** Reads a buffer back from its start on, where it must hold {@code expected}. */
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

  /** A host call, which runs at most once, and has begun if a signal that waits for it is there. */
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
