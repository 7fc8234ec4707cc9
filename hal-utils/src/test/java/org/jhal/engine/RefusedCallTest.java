// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Throwables;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A throwable from reading an argument, from a query of the driver, or for lack of memory or stack
 * refuses a call whose operation is not yet visible. Nothing is borrowed, registered, counted, kept
 * or lost, and the same call works afterwards (rule M5).
 */
@Timeout(120)
class RefusedCallTest extends RefusedCalls {
  /** Every kind of operation. */
  enum EngineCall implements Call {
    BARRIER {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.barrier(waits, signals);
      }
    },
    EXECUTE_ONCE {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.execute(waits, signals, on.once);
      }
    },
    EXECUTE_WITH_BINDINGS {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.execute(waits, signals, on.reusable, BindingTable.of(on.buffer));
      }
    },
    DISPATCH {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.dispatch(waits, signals, on.kernel, Workgroups.of(1), Args.of(on.buffer));
      }
    },
    FILL {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.fill(waits, signals, on.buffer, 0, 4, FillPattern.ZERO);
      }
    },
    UPDATE {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.update(waits, signals, ByteBuffer.allocate(4), on.buffer, 0);
      }
    },
    UPLOAD {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.upload(waits, signals, on.memory, on.buffer, 0);
      }
    },
    READBACK {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.readback(waits, signals, on.buffer, 0, on.memory);
      }
    },
    COPY {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.copy(waits, signals, on.buffer, 0, on.buffer, 4, 4);
      }
    },
    COPY_BETWEEN_DEVICES {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.copy(waits, signals, on.buffer, 0, on.foreign, 0, 8);
      }
    },
    COPY_BETWEEN_DEVICES_THAT_SHARE_MEMORY {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.copy(waits, signals, on.buffer, 0, on.foreign, 0, 8);
      }

      @Override
      public boolean sharesMemory() {
        return true;
      }
    },
    ALLOCA {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.closeable.add(on.queue.alloca(waits, signals, 64, BufferParams.DEVICE));
      }
    },
    DEALLOCA {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.dealloca(waits, signals, on.allocated);
      }
    },
    HOST_CALL {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.hostCall(
            waits, signals, HostCall.Mode.BLOCKING, context -> on.ran.incrementAndGet());
      }

      @Override
      public int runs() {
        return 1;
      }
    },
    EXTERNAL {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.external(waits, signals, List.of(on.buffer), context -> {});
      }
    },
    IMPORT_EVENT {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.importEvent(signals, 1, on.released::incrementAndGet);
      }

      @Override
      public int releases() {
        return 1;
      }
    },
    READ {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.read(waits, signals, on.file, 0, on.buffer, 0, 8);
      }
    },
    WRITE {
      @Override
      public void enqueue(Fixture on, Fence waits, Fence signals) {
        on.queue.write(waits, signals, on.file, 0, on.buffer, 0, 8);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aThrowingStreamQueryRefusesTheCall(EngineCall call) throws Exception {
    assertRefusedByQueries(call);
  }

  private static List<Bad> badCalls() {
    return List.of(
        new Bad(
            EngineCall.EXECUTE_WITH_BINDINGS,
            (on, thrown, waits, signals) ->
                on.queue.execute(waits, signals, on.reusable, BindingTable.of(badBuffer(thrown)))),
        new Bad(
            EngineCall.DISPATCH,
            (on, thrown, waits, signals) ->
                on.queue.dispatch(
                    waits, signals, on.kernel, Workgroups.of(1), Args.of(badBuffer(thrown)))),
        new Bad(
            EngineCall.FILL,
            (on, thrown, waits, signals) ->
                on.queue.fill(waits, signals, badBuffer(thrown), 0, 4, FillPattern.ZERO)),
        new Bad(
            EngineCall.UPDATE,
            (on, thrown, waits, signals) ->
                on.queue.update(waits, signals, ByteBuffer.allocate(4), badBuffer(thrown), 0)),
        new Bad(
            EngineCall.UPLOAD,
            (on, thrown, waits, signals) ->
                on.queue.upload(waits, signals, on.memory, badBuffer(thrown), 0)),
        new Bad(
            EngineCall.READBACK,
            (on, thrown, waits, signals) ->
                on.queue.readback(waits, signals, badBuffer(thrown), 0, on.memory)),
        new Bad(
            EngineCall.COPY,
            (on, thrown, waits, signals) ->
                on.queue.copy(waits, signals, on.buffer, 0, badBuffer(thrown), 4, 4)),
        new Bad(
            EngineCall.DEALLOCA,
            (on, thrown, waits, signals) -> on.queue.dealloca(waits, signals, badBuffer(thrown))),
        new Bad(
            EngineCall.EXTERNAL,
            (on, thrown, waits, signals) ->
                on.queue.external(
                    waits, signals, List.of(on.buffer, badBuffer(thrown)), context -> {})),
        new Bad(
            EngineCall.EXTERNAL,
            (on, thrown, waits, signals) ->
                on.queue.external(waits, signals, badList(on.buffer, thrown), context -> {})),
        new Bad(
            EngineCall.READ,
            (on, thrown, waits, signals) ->
                on.queue.read(waits, signals, on.file, 0, badBuffer(thrown), 0, 8)),
        new Bad(
            EngineCall.WRITE,
            (on, thrown, waits, signals) ->
                on.queue.write(waits, signals, on.file, 0, badBuffer(thrown), 0, 8)));
  }

  @Test
  void aThrowingArgumentRefusesTheCall() throws Exception {
    assertRefused(badCalls());
  }

  /**
   * The weight of a reused recording is queried again when its turn comes, when other threads see
   * the operation: this operation fails, and the queue continues.
   */
  @Test
  void aLaterThrowingStreamQueryFailsOneOperation() throws Exception {
    for (Throwable thrown : throwables()) {
      Fixture on = new Fixture(EngineCall.EXECUTE_WITH_BINDINGS, "again-" + thrown.hashCode());
      on.backend.prepares = true;
      try (on;
          Quiet log = new Quiet();
          TimelineSemaphore gate = on.device.createSemaphore();
          TimelineSemaphore failed = on.device.createSemaphore();
          TimelineSemaphore done = on.device.createSemaphore()) {
        EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(1));
        EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, gate.at(1), failed.at(1));
        EngineCall.FILL.enqueue(on, gate.at(1), done.at(2));
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
        EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(3));
        done.await(3, LIMIT);
      }
    }
  }

  /** A call that is refused because its recording cannot be prepared may be repeated. */
  @Test
  void aThrowingPrepareRefusesOneCallOnly() throws Exception {
    for (Throwable thrown : throwables()) {
      Fixture on = new Fixture(EngineCall.EXECUTE_WITH_BINDINGS, "prepared-" + thrown.hashCode());
      on.backend.prepares = true;
      try (on;
          TimelineSemaphore done = on.device.createSemaphore()) {
        EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(1));
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
                () -> EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(2)));
        assertEquals(thrown.getClass(), refused.getClass());
        EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(2));
        EngineCall.EXECUTE_WITH_BINDINGS.enqueue(on, Fence.NONE, done.at(3));
        done.await(3, LIMIT);
        assertEquals(2, times.get(), "queried once more");
        assertNull(on.device.lostCause());
      }
    }
  }
}
