// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Throwables;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Reduction;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A throwable from reading an argument, from a query of the driver, or for lack of memory or stack
 * refuses a call whose operation is not yet visible. Nothing is borrowed, registered, counted, kept
 * or lost, and the same call works afterwards (rule M5).
 */
@Timeout(120)
class RefusedCallTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int INDEX = 4730; // of this test's devices only
  private static final String MANIFEST =
      """
      {"version": 1, "name": "nothing",
       "kernels": [{"name": "f", "workgroupSize": [1], "parameters":
         [{"name": "b", "kind": "buffer", "type": "f32", "direction": "in"}]}],
       "variants": [{"format": "fake", "file": "f"}]}
      """;

  @TempDir private Path folder;

  /** Every kind of operation. */
  enum Call {
    BARRIER {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.barrier(waits, signals);
      }
    },
    EXECUTE_ONCE {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.execute(waits, signals, on.once);
      }
    },
    EXECUTE_WITH_BINDINGS {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.execute(waits, signals, on.reusable, BindingTable.of(on.buffer));
      }
    },
    DISPATCH {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.dispatch(waits, signals, on.kernel, Workgroups.of(1), Args.of(on.buffer));
      }
    },
    FILL {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.fill(waits, signals, on.buffer, 0, 4, FillPattern.ZERO);
      }
    },
    UPDATE {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.update(waits, signals, ByteBuffer.allocate(4), on.buffer, 0);
      }
    },
    UPLOAD {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.upload(waits, signals, on.memory, on.buffer, 0);
      }
    },
    READBACK {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.readback(waits, signals, on.buffer, 0, on.memory);
      }
    },
    COPY {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.copy(waits, signals, on.buffer, 0, on.buffer, 4, 4);
      }
    },
    COPY_BETWEEN_DEVICES {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.copy(waits, signals, on.buffer, 0, on.foreign, 0, 8);
      }
    },
    COPY_BETWEEN_DEVICES_THAT_SHARE_MEMORY {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.copy(waits, signals, on.buffer, 0, on.foreign, 0, 8);
      }
    },
    ALLOCA {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.closeable.add(on.queue.alloca(waits, signals, 64, BufferParams.DEVICE));
      }
    },
    DEALLOCA {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.dealloca(waits, signals, on.allocated);
      }
    },
    HOST_CALL {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.hostCall(
            waits, signals, HostCall.Mode.BLOCKING, context -> on.ran.incrementAndGet());
      }
    },
    EXTERNAL {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.external(waits, signals, List.of(on.buffer), context -> {});
      }
    },
    IMPORT_EVENT {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.importEvent(signals, 1, on.released::incrementAndGet);
      }
    },
    READ {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.read(waits, signals, on.file, 0, on.buffer, 0, 8);
      }
    },
    WRITE {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.write(waits, signals, on.file, 0, on.buffer, 0, 8);
      }
    },
    ALL_REDUCE {
      @Override
      void enqueue(Fixture on, Fence waits, Fence signals) {
        on.group.allReduce(
            Reduction.SUM,
            ElementType.I32,
            List.of(
                new Rank(waits, signals, on.buffer, on.buffer),
                new Rank(Fence.NONE, Fence.NONE, on.foreign, on.foreign)));
      }
    };

    abstract void enqueue(Fixture on, Fence waits, Fence signals);
  }

  /** Two devices, and the arguments of the calls. */
  private final class Fixture implements AutoCloseable {
    final FakeBackend backend = new FakeBackend(INDEX);
    final FakeBackend second = new FakeBackend(INDEX);
    final EngineDevice<Event> device;
    final EngineDevice<Event> other;
    final DeviceQueue queue;
    final DeviceBuffer buffer;
    final DeviceBuffer foreign;
    final DeviceBuffer allocated;
    final HostMemory memory = HostMemory.of(new byte[4]);
    final DeviceFile file;
    final Executable code;
    final Kernel kernel;
    final CommandBuffer once;
    final CommandBuffer reusable;
    final CollectiveGroup group;
    final List<AutoCloseable> closeable = new ArrayList<>();
    final AtomicInteger ran = new AtomicInteger(); // the host call
    final AtomicInteger released = new AtomicInteger(); // the imported event
    final String name;

    Fixture(Call call, String name) throws Exception {
      this.name = name;
      backend.commands = EnumSet.allOf(Command.Kind.class);
      backend.sharesMemory = call == Call.COPY_BETWEEN_DEVICES_THAT_SHARE_MEMORY;
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
      group = call == Call.ALL_REDUCE ? keep(CollectiveGroup.of(device, other)) : keepNone();
      Threads.await("the alloca to retire", () -> queue.openOperations() == 0);
    }

    private <T extends AutoCloseable> T keep(T made) {
      closeable.add(0, made);
      return made;
    }

    @SuppressWarnings("NullAway") // used by ALL_REDUCE alone
    private CollectiveGroup keepNone() {
      return null;
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

  private static List<Throwable> throwables() {
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

  @ParameterizedTest
  @EnumSource
  void aThrowingStreamQueryRefusesTheCall(Call call) throws Exception {
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
      assertEquals(call == Call.IMPORT_EVENT ? 1 : 0, on.released.get(), name);
      assertEquals(call == Call.HOST_CALL ? 1 : 0, on.ran.get(), name);
      assertNull(on.device.lostCause(), name);
    }
  }

  // Arguments that throw.

  /** A call with an argument that throws when it is read, behind sound ones. */
  private interface BadCall {
    void enqueue(Fixture on, Throwable thrown, Fence waits, Fence signals);
  }

  /** A bad call, and the good one of its kind. */
  private record Bad(Call good, BadCall bad) {}

  private static List<Bad> badCalls() {
    return List.of(
        new Bad(
            Call.EXECUTE_WITH_BINDINGS,
            (on, thrown, waits, signals) ->
                on.queue.execute(waits, signals, on.reusable, BindingTable.of(badBuffer(thrown)))),
        new Bad(
            Call.DISPATCH,
            (on, thrown, waits, signals) ->
                on.queue.dispatch(
                    waits, signals, on.kernel, Workgroups.of(1), Args.of(badBuffer(thrown)))),
        new Bad(
            Call.FILL,
            (on, thrown, waits, signals) ->
                on.queue.fill(waits, signals, badBuffer(thrown), 0, 4, FillPattern.ZERO)),
        new Bad(
            Call.UPDATE,
            (on, thrown, waits, signals) ->
                on.queue.update(waits, signals, ByteBuffer.allocate(4), badBuffer(thrown), 0)),
        new Bad(
            Call.UPLOAD,
            (on, thrown, waits, signals) ->
                on.queue.upload(waits, signals, on.memory, badBuffer(thrown), 0)),
        new Bad(
            Call.READBACK,
            (on, thrown, waits, signals) ->
                on.queue.readback(waits, signals, badBuffer(thrown), 0, on.memory)),
        new Bad(
            Call.COPY,
            (on, thrown, waits, signals) ->
                on.queue.copy(waits, signals, on.buffer, 0, badBuffer(thrown), 4, 4)),
        new Bad(
            Call.DEALLOCA,
            (on, thrown, waits, signals) -> on.queue.dealloca(waits, signals, badBuffer(thrown))),
        new Bad(
            Call.EXTERNAL,
            (on, thrown, waits, signals) ->
                on.queue.external(
                    waits, signals, List.of(on.buffer, badBuffer(thrown)), context -> {})),
        new Bad(
            Call.EXTERNAL,
            (on, thrown, waits, signals) ->
                on.queue.external(waits, signals, badList(on.buffer, thrown), context -> {})),
        new Bad(
            Call.READ,
            (on, thrown, waits, signals) ->
                on.queue.read(waits, signals, on.file, 0, badBuffer(thrown), 0, 8)),
        new Bad(
            Call.WRITE,
            (on, thrown, waits, signals) ->
                on.queue.write(waits, signals, on.file, 0, badBuffer(thrown), 0, 8)),
        new Bad(
            Call.ALL_REDUCE,
            (on, thrown, waits, signals) ->
                on.group.allReduce(
                    Reduction.SUM,
                    ElementType.I32,
                    badList(new Rank(waits, signals, on.buffer, on.buffer), thrown))));
  }

  /** A buffer of the program's own class, which throws in every method. */
  private static DeviceBuffer badBuffer(Throwable thrown) {
    return (DeviceBuffer)
        Proxy.newProxyInstance(
            RefusedCallTest.class.getClassLoader(),
            new Class<?>[] {DeviceBuffer.class},
            (proxy, method, args) -> {
              throw thrown;
            });
  }

  /** A list of two whose second element throws. */
  private static <T> List<T> badList(T first, Throwable thrown) {
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

  @Test
  void aThrowingArgumentRefusesTheCall() throws Exception {
    List<Bad> calls = badCalls();
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

  /**
   * The weight of a reused recording is queried again when its turn comes, when other threads see
   * the operation: this operation fails, and the queue continues.
   */
  @Test
  void aLaterThrowingStreamQueryFailsOneOperation() throws Exception {
    for (Throwable thrown : throwables()) {
      Fixture on = new Fixture(Call.EXECUTE_WITH_BINDINGS, "again-" + thrown.hashCode());
      on.backend.prepares = true;
      try (on;
          Quiet log = new Quiet();
          TimelineSemaphore gate = on.device.createSemaphore();
          TimelineSemaphore failed = on.device.createSemaphore();
          TimelineSemaphore done = on.device.createSemaphore()) {
        Call.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(1));
        Call.EXECUTE_WITH_BINDINGS.enqueue(on, gate.at(1), failed.at(1));
        Call.FILL.enqueue(on, gate.at(1), done.at(2));
        AtomicInteger left = new AtomicInteger(1);
        on.backend.device.atQuestion =
            question -> {
              if (question.startsWith("weight of prepared") && left.decrementAndGet() == 0) {
                Throwables.throwIfUnchecked(thrown);
              }
            };
        gate.signal(1);
        done.await(2, LIMIT);
        Threads.await("both to retire", () -> on.queue.openOperations() == 0);
        assertEquals(0, Math.max(0, left.get()), "the query was repeated");
        HalException failure = failed.failure();
        if (thrown instanceof HalException own) {
          assertFailure(own, failure);
        } else {
          assertTrue(
              failure != null && failure.getCause() == thrown, () -> thrown + " gives " + failure);
        }
        assertNull(on.device.lostCause());
        Call.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(3));
        done.await(3, LIMIT);
      }
    }
  }

  /** A call that is refused because its recording cannot be prepared may be repeated. */
  @Test
  void aThrowingPrepareRefusesOneCallOnly() throws Exception {
    for (Throwable thrown : throwables()) {
      Fixture on = new Fixture(Call.EXECUTE_WITH_BINDINGS, "prepared-" + thrown.hashCode());
      on.backend.prepares = true;
      try (on;
          TimelineSemaphore done = on.device.createSemaphore()) {
        Call.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(1));
        AtomicInteger times = new AtomicInteger();
        on.backend.atPrepare =
            () -> {
              if (times.incrementAndGet() == 1) {
                Throwables.throwIfUnchecked(thrown);
              }
            };
        Throwable refused =
            assertThrows(
                Throwable.class,
                () -> Call.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(2)));
        assertEquals(thrown.getClass(), refused.getClass());
        Call.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(2));
        Call.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(3));
        done.await(3, LIMIT);
        assertEquals(2, times.get(), "queried once more");
        assertNull(on.device.lostCause());
      }
    }
  }
}
