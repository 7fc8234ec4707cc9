// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Throwables;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls that are refused by a throwable from reading an argument, or from a query of the driver,
 * and work afterwards.
 */
public abstract class RefusedCalls {
  protected static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int INDEX = 4730; // of this test's devices only
  private static final String MANIFEST =
      """
      {"version": 1, "name": "nothing",
       "kernels": [{"name": "f", "workgroupSize": [1], "parameters":
         [{"name": "b", "kind": "buffer", "type": "f32", "direction": "in"}]}],
       "variants": [{"format": "fake", "file": "f"}]}
      """;

  @TempDir Path folder;

  /** A call that enqueues one operation. */
  public interface Call {
    void enqueue(Fixture on, Fence waits, Fence signals);

    /** Makes more arguments. */
    default void prepare(Fixture on) {}

    /** Whether the devices share memory. */
    default boolean sharesMemory() {
      return false;
    }

    /** How many host calls it runs. */
    default int runs() {
      return 0;
    }

    /** How many imported events it releases. */
    default int releases() {
      return 0;
    }
  }

  /** Two devices, and the arguments of the calls. */
  public final class Fixture implements AutoCloseable {
    public final FakeBackend backend = new FakeBackend(INDEX);
    public final FakeBackend second = new FakeBackend(INDEX);
    public final EngineDevice<Event> device;
    public final EngineDevice<Event> other;
    public final DeviceQueue queue;
    public final DeviceBuffer buffer;
    public final DeviceBuffer foreign;
    public final DeviceBuffer allocated;
    public final HostMemory memory = HostMemory.of(new byte[4]);
    public final DeviceFile file;
    public final Executable code;
    public final Kernel kernel;
    public final CommandBuffer once;
    public final CommandBuffer reusable;
    public final List<AutoCloseable> closeable = new ArrayList<>();
    public final AtomicInteger ran = new AtomicInteger(); // the host call
    public final AtomicInteger released = new AtomicInteger(); // the imported event
    final String name;

    Fixture(Call call, String name) throws Exception {
      this.name = name;
      backend.commands = EnumSet.allOf(Command.Kind.class);
      backend.sharesMemory = call.sharesMemory();
      second.sharesMemory = backend.sharesMemory;
      device = backend.open(1, LIMIT);
      other = second.open(1, LIMIT);
      queue = device.queue(0);
      buffer = keep(device.allocate(8, BufferParams.DEVICE));
      foreign = keep(other.allocate(8, BufferParams.DEVICE));
      file = keep(device.openFile(folder.resolve(name), CREATE_NEW, READ, WRITE));
      Files.write(folder.resolve(name), new byte[8]);
      Files.writeString(folder.resolve("manifest.json"), MANIFEST);
      code = keep(device.loadExecutable(ExecutableSource.of(folder)));
      kernel = code.kernel("f");
      once = keep(device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
      once.fill(buffer, 0, 4, FillPattern.ZERO);
      once.copy(buffer, 0, buffer, 4, 4);
      once.end();
      reusable = keep(device.createCommandBuffer(CommandBuffer.Mode.REUSABLE));
      reusable.fill(Slot.of(0), 0, 4, FillPattern.ZERO);
      reusable.end();
      TimelineSemaphore isAllocated = keep(device.createSemaphore());
      allocated = keep(queue.alloca(Fence.NONE, isAllocated.at(1), 8, BufferParams.DEVICE));
      isAllocated.await(1, LIMIT);
      call.prepare(this);
      Threads.await("the alloca to retire", () -> queue.openOperations() == 0);
    }

    public <T extends AutoCloseable> T keep(T made) {
      closeable.add(0, made);
      return made;
    }

    /** Everything as it was before the call. */
    void assertUntouched(TimelineSemaphore done, long enqueued) throws Exception {
      assertNull(device.lostCause(), name);
      assertNull(other.lostCause(), name);
      assertEquals(0, queue.openOperations(), name);
      assertEquals(enqueued, device.statistics().enqueued(), name);
      assertEquals(enqueued, device.statistics().retired(), name);
      assertFalse(memory.isBorrowed(), name);
      assertEquals(0, done.value(), name);
      assertTrue(done.explain(1).endsWith("no open operation would raise it to 1"), name);
      assertEquals(0, released.get(), name);
      assertEquals(0, ran.get(), name);
      assertEquals(CommandBuffer.State.ENDED, once.state(), name);
    }

    @Override
    public void close() throws Exception {
      for (AutoCloseable one : closeable) {
        one.close();
      }
      Threads.await(
          "the memory of " + name + " to be free",
          () -> device.statistics().bytes() == 0 && other.statistics().bytes() == 0);
      device.close();
      other.close();
      assertEquals(List.of(), backend.device.violations(), name);
      assertEquals(0, backend.liveMemory.get(), name);
      assertEquals(0, backend.device.liveEvents(), name);
    }
  }

  protected static List<Throwable> throwables() {
    return List.of(
        new HalException(Status.INTERNAL, "from the driver"),
        new HalException(Status.UNAVAILABLE, "from the driver"),
        new IllegalStateException("a bug of the driver"),
        new StackOverflowError("in the driver"),
        new OutOfMemoryError("in the driver"),
        new NoClassDefFoundError("in the driver"));
  }

  /** Makes the {@code nth} query of this thread throw, and enqueues. Returns the throwable. */
  private static @Nullable Throwable enqueue(
      Call call, Fixture on, int nth, Throwable thrown, Fence waits, Fence signals) {
    Thread caller = Thread.currentThread();
    AtomicInteger left = new AtomicInteger(nth);
    on.backend.device.atQuestion =
        question -> {
          if (Thread.currentThread() == caller && left.decrementAndGet() == 0) {
            Throwables.throwIfUnchecked(thrown);
          }
        };
    try {
      call.enqueue(on, waits, signals);
      return null;
    } catch (Throwable t) {
      return t;
    } finally {
      on.backend.device.atQuestion = question -> {};
    }
  }

  /** Each query of the driver throws in turn, before the call succeeds. */
  protected final void assertRefusedByQueries(Call call) throws Exception {
    try (Quiet log = new Quiet()) {
      for (Throwable thrown : throwables()) {
        for (boolean waits : new boolean[] {false, true}) {
          refuseAndRepeat(call, thrown, waits);
        }
      }
      assertEquals(List.of(), log.lines());
      assertNoHandleIsLeft(log);
    }
  }

  /** A leaked handle of a refused call would be reported before those that this forgets. */
  private static void assertNoHandleIsLeft(Quiet log) {
    String name = "fake-" + INDEX;
    try (EngineDevice<Event> device = new FakeBackend(INDEX).open(1, LIMIT)) {
      for (int count = 1; count <= 2; count++) {
        String report = "a buffer of " + forget(device, count) + " bytes of " + name;
        Threads.await(
            report + " to be reported",
            () -> {
              System.gc();
              return log.count(report) == 1;
            });
      }
    }
    assertEquals(2, log.count(name), "handles that are reported");
  }

  /** Returns the size of the buffer that it forgets. */
  private static long forget(EngineDevice<?> device, int count) {
    return device.allocate(4730 + count, BufferParams.DEVICE).size();
  }

  private void refuseAndRepeat(Call call, Throwable thrown, boolean isWaiting) throws Exception {
    String name = call + (isWaiting ? "-waiting-" : "-") + System.identityHashCode(thrown);
    try (Fixture on = new Fixture(call, name);
        TimelineSemaphore gate = on.device.createSemaphore();
        TimelineSemaphore done = on.device.createSemaphore()) {
      Fence waits = isWaiting ? gate.at(1) : Fence.NONE;
      long enqueued = on.device.statistics().enqueued();
      int refused = 0;
      while (true) {
        Throwable got = enqueue(call, on, refused + 1, thrown, waits, done.at(1));
        if (got == null) {
          break;
        }
        assertSame(thrown, got, name);
        refused++;
        on.assertUntouched(done, enqueued);
      }
      assertTrue(refused > 0, () -> name + " asks nothing");
      gate.signal(1);
      done.await(1, LIMIT);
      Threads.await("the operation to retire", () -> on.queue.openOperations() == 0);
      assertEquals(call.releases(), on.released.get(), name);
      assertEquals(call.runs(), on.ran.get(), name);
      assertNull(on.device.lostCause(), name);
    }
  }

  // Arguments that throw.

  /** A call with an argument that throws when it is read, behind sound ones. */
  public interface BadCall {
    void enqueue(Fixture on, Throwable thrown, Fence waits, Fence signals);
  }

  /** A bad call, and the good one of its kind. */
  public record Bad(Call good, BadCall bad) {}

  /** A buffer of the program's own class, which throws in every method. */
  protected static DeviceBuffer badBuffer(Throwable thrown) {
    return (DeviceBuffer)
        Proxy.newProxyInstance(
            RefusedCalls.class.getClassLoader(),
            new Class<?>[] {DeviceBuffer.class},
            (proxy, method, args) -> {
              throw thrown;
            });
  }

  /** A list of two whose second element throws. */
  protected static <T> List<T> badList(T first, Throwable thrown) {
    return new AbstractList<>() {
      @Override
      public T get(int index) {
        if (index > 0) {
          Throwables.throwIfUnchecked(thrown);
        }
        return first;
      }

      @Override
      public int size() {
        return 2;
      }
    };
  }

  /** Each throws in turn, and the good call succeeds. */
  protected final void assertRefused(List<Bad> calls) throws Exception {
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < calls.size(); i++) {
        for (Throwable thrown : throwables()) {
          refuseBad(calls.get(i), i, thrown);
        }
      }
      assertEquals(List.of(), log.lines());
    }
  }

  private void refuseBad(Bad call, int index, Throwable thrown) throws Exception {
    String name = call.good + "-bad-" + index + "-" + System.identityHashCode(thrown);
    try (Fixture on = new Fixture(call.good, name);
        TimelineSemaphore gate = on.device.createSemaphore();
        TimelineSemaphore done = on.device.createSemaphore()) {
      long enqueued = on.device.statistics().enqueued();
      for (Fence waits : List.of(Fence.NONE, gate.at(1))) {
        Throwable got =
            assertThrows(
                Throwable.class, () -> call.bad.enqueue(on, thrown, waits, done.at(1)), name);
        assertSame(thrown, got, name);
        on.assertUntouched(done, enqueued);
      }
      call.good.enqueue(on, Fence.NONE, done.at(1));
      done.await(1, LIMIT);
      Threads.await(
          "the operation of " + name + " to retire", () -> on.queue.openOperations() == 0);
    }
  }
}
