// SPDX-License-Identifier: Apache-2.0
package org.jhal.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.EngineConfig;
import org.jhal.driver.support.Faults;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.queue.FakeStream.Event;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Controls of a device with two queues, whose streams only note how they are held. */
@Timeout(60)
class DeviceControlsTest {
  private static final HalException FAULT = new HalException(Status.INTERNAL, "on purpose");

  private final FakeBackend real = new FakeBackend();
  private final ControlledBackend<Event> backend = new ControlledBackend<>(real);
  private final Faults inner = new Faults(Set.of("flush"));
  private final List<String> log = new ArrayList<>();
  private final EngineDevice<Event> device =
      new EngineDevice<>(
          backend,
          new EngineConfig(
              2, 64, 0, 0, Duration.ofSeconds(1), Duration.ofSeconds(1), 2, 2, true, true, false),
          List.of());
  private final Noting controls = new Noting();

  private final class Noting extends DeviceControls {
    Noting() {
      super(device, backend, device::lose, inner);
    }

    @Override
    protected Runnable hold(int index, NativeStream<?> stream) {
      assertSame(real.streams.get(index), stream);
      note("hold " + index);
      return () -> note("release " + index);
    }

    private void note(String what) {
      assertTrue(FakeBackend.isBound(), what);
      log.add(what);
    }
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aStreamIsHeldOnceAndReleasedOnce() {
    controls.pause(device.queue(1));
    controls.pause(device.queue(1));
    controls.resume(device.queue(0));
    controls.resume(device.queue(1));
    controls.resume(device.queue(1));
    assertEquals(List.of("hold 1", "release 1"), log);
    controls.pause(device.queue(1));
    assertEquals("hold 1", log.get(2));
  }

  @Test
  void theHiddenStreamFollowsThoseOfTheQueues() {
    assertFalse(controls.pauseGroups(), "there is none yet");
    controls.resumeGroups();
    assertEquals(List.of(), log);
    NativeStream<Event> hidden = backend.createStream(2);
    assertTrue(controls.pauseGroups());
    controls.resumeGroups();
    assertEquals(List.of("hold 2", "release 2"), log);
    hidden.close();
  }

  @Test
  void aResetReleasesAllAndCancelsFaultsOnBothSides() {
    controls.pause(device.queue(0));
    controls.failNth("allocate", 1, FAULT);
    controls.failNth("flush", 1, FAULT);
    assertTrue(backend.faults().isPending());
    assertTrue(inner.isPending());
    controls.reset();
    assertEquals(List.of("hold 0", "release 0"), log);
    assertFalse(backend.faults().isPending());
    assertFalse(inner.isPending());
  }

  @Test
  void aFailureGoesToTheFaultsThatHaveTheCall() {
    assertTrue(controls.calls().containsAll(Set.of("submit", "flush")));
    controls.failNth("allocate", 1, FAULT);
    assertThrows(HalException.class, () -> backend.allocate(4, BufferParams.DEVICE));
    controls.failNth("flush", 1, FAULT);
    assertThrows(HalException.class, () -> inner.check("flush"));
    HalException unknown =
        assertThrows(HalException.class, () -> controls.failNth("frobnicate", 1, FAULT));
    assertEquals(Status.INVALID_ARGUMENT, unknown.status());
  }

  /** The engine frees what a lost device uses, so nothing may run any more. */
  @Test
  void aLossReleasesTheStreamsAndWaitsUntilTheyAreIdle() {
    controls.pause(device.queue(0));
    real.streams.get(0).add(() -> log.add("run"));
    Thread stream =
        new Thread(
            () -> {
              while (!real.streams.get(0).advance()) { // until this is asked whether it is idle
                Thread.onSpinWait();
              }
            },
            "stream");
    real.device.setHeld(true);
    real.streams.get(0).atIsIdle =
        () -> {
          log.add("asked");
          real.device.setHeld(false);
        };
    stream.start();
    HalException lost = new HalException(Status.UNAVAILABLE, "lost on purpose");
    controls.loseDevice(lost);
    assertEquals(List.of("hold 0", "release 0", "asked"), log.subList(0, 3));
    assertTrue(log.contains("run"), log::toString);
    assertEquals(Status.UNAVAILABLE, Objects.requireNonNull(device.lostCause()).status());
  }
}
