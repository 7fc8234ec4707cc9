// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import static org.jhal.engine.queue.FailureAssert.assertFailure;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.collectives.arithmetic.Layout;
import org.jhal.driver.NativeStream;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All signals fail with the first cause, even if the thread that has decided on it is held up right
 * after its decision, before any signal has failed (rule G3).
 */
@Timeout(60)
class CollectiveCauseTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final HalException FIRST = new HalException(Status.UNAVAILABLE, "the first cause");
  private static final HalException SECOND = new HalException(Status.ABORTED, "another cause");

  private final FakeBackend backend = new FakeBackend();
  private final EngineDevice<Event> device = backend.open(1, LONG);
  private final GroupLife group = new GroupLife(List.of(Groups.of(device)), Options.DEFAULT);

  CollectiveCauseTest() {
    Groups.of(device).add(group);
    group.makeNatives();
  }

  @AfterEach
  void close() {
    backend.device.setHeld(false);
    group.close();
    device.close();
    group.release();
  }

  /** A collective that moves nothing. */
  private static final class Probe extends Collective<Event> {
    final TimelineSemaphore end;
    volatile Runnable atIssue = () -> {};
    final List<HalException> stops = new ArrayList<>(); // guarded by itself

    Probe(DeviceCore<Event> device, GroupLife group, TimelineSemaphore end) {
      super(
          device,
          group,
          new CollectiveRequest(
              Kind.BROADCAST,
              new Layout(List.of(), 0),
              0,
              0,
              null,
              null,
              new EngineBuffer[1],
              new EngineBuffer[1]));
      this.end = end;
    }

    @Override
    protected @Nullable Throwable issue(NativeStream<Event> stream, Batch<Event> batch) {
      atIssue.run();
      beginHolding();
      return batch.submitTo(stream);
    }

    @Override
    void stop(HalException cause) {
      synchronized (stops) {
        stops.add(cause);
      }
    }
  }

  /** Enqueues a collective. */
  private Probe enqueue(Fence waits, Consumer<Probe> first) {
    DeviceCore<Event> core = Inside.core(device);
    Probe probe = new Probe(core, group, new EngineSemaphore(0, () -> {}));
    first.accept(probe);
    DeferredWorkQueue<Event> hidden = core.queues().get(core.queues().size() - 1);
    Groups.of(device).enqueue(hidden, probe, waits, probe.end.at(1), List.of());
    return probe;
  }

  private Probe begun() {
    Probe probe = enqueue(Fence.NONE, made -> {});
    Threads.await("a collective to begin", probe::hasBegun);
    return probe;
  }

  private static void assertFailed(HalException cause, Probe probe) {
    HalException thrown = assertThrows(HalException.class, () -> probe.end.await(1, LONG));
    assertFailure(cause, thrown);
  }

  @Test
  void anUnreportedRefusalIsTheCauseWhenACollectiveWouldBegin() {
    Probe probe =
        enqueue(Fence.NONE, made -> made.atIssue = () -> made.operation().failWork(FIRST));
    assertFailed(FIRST, probe);
    assertFalse(probe.hasBegun());
    assertNull(group.failure());
    assertNull(device.lostCause(), "it may be another device that is lost");
  }

  @Test
  void aCancellationAfterARefusalReportsTheRefusal() {
    TimelineSemaphore start = new EngineSemaphore(0, () -> {});
    Probe probe = enqueue(start.at(1), made -> {});
    probe.operation().failWork(FIRST);
    group.deviceCloses(Inside.core(device), System.nanoTime());
    assertFailed(FIRST, probe);
  }

  /** The group and all collectives, begun or not, whichever thread fails them meanwhile. */
  @Test
  void anUnreportedFailureIsTheCauseForTheWholeGroup() {
    backend.device.setHeld(true);
    TimelineSemaphore start = new EngineSemaphore(0, () -> {});
    List<Probe> all = new ArrayList<>(List.of(begun(), begun(), begun()));
    all.add(enqueue(start.at(1), made -> {}));
    assertTrue(group.decideFailed(all.get(1), FIRST));
    group.end(SECOND);
    all.forEach(probe -> assertFailed(FIRST, probe));
    assertFailure(FIRST, group.failure());
    for (Probe probe : all.subList(0, 3)) {
      synchronized (probe.stops) {
        assertFalse(probe.stops.isEmpty(), "whether it was stopped");
        probe.stops.forEach(cause -> assertSame(group.failure(), cause));
      }
    }
  }

  @Test
  void aCollectiveFailsWithWhatItsGroupHasFailedWith() {
    backend.device.setHeld(true);
    List<Probe> all = List.of(begun(), begun());
    group.decideFailed(all.get(0), FIRST);
    all.get(1).failWith(SECOND);
    all.forEach(probe -> assertFailed(FIRST, probe));
    assertFailure(FIRST, group.failure());
  }

  /** The thread that has decided may be held up, or may have met an error. */
  @Test
  void aDecisionIsAppliedByTheNextFailure() {
    backend.device.setHeld(true);
    Probe probe = begun();
    group.decideFailed(probe, FIRST);
    probe.failWith(SECOND);
    assertFailed(FIRST, probe);
  }
}
