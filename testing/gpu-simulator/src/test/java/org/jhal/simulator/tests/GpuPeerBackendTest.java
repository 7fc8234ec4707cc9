// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.simulator.fixture.NativeCall.PEER_ENABLE;
import static org.jhal.simulator.fixture.NativeCall.PEER_QUERY;
import static org.jhal.simulator.fixture.NativeCall.POOL_ENABLE;
import static org.jhal.simulator.fixture.OpenGpu.bound;
import static org.jhal.simulator.fixture.OpenGpu.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import org.jhal.DeviceInfo;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cts.support.Waits;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.StreamSteps;
import org.jhal.gpu.GpuDevice;
import org.jhal.gpu.runtime.GpuEvent;
import org.jhal.gpu.stream.GpuStream;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.OpenGpu;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The events and memory that two GPUs of a driver share, on the driver's side. */
@Timeout(60)
class GpuPeerBackendTest {
  private static final String PROPERTY = "memory of other devices";

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final SimulatedGpu gpu = sim.gpu();
  private final String name = sim.driver().name();

  private static NativeCall enabling(boolean isPool) {
    return isPool ? POOL_ENABLE : PEER_ENABLE;
  }

  private OpenGpu open(int index) {
    return OpenGpu.open(sim.driver(), index);
  }

  private static void enable(OpenGpu user, OpenGpu owner) {
    run(user.backend(), () -> user.backend().enableAccess(owner.backend()));
  }

  private static @Nullable String property(OpenGpu opened) {
    return opened.device().info().properties().get(PROPERTY);
  }

  // What devices share.

  @Test
  void devicesOfOneRuntimeShareEventsAndMemory() {
    try (OpenGpu here = open(0);
        OpenGpu there = open(1);
        OpenGpu elsewhere = OpenGpu.open(gpu.driver(), 1)) {
      assertSame(here.backend().eventDomain(), there.backend().eventDomain());
      assertSame(here.backend().eventDomain(), elsewhere.backend().eventDomain());
      assertNull(here.backend().noAccess(there.backend()));
      assertNull(there.backend().noAccess(here.backend()));
      assertNull(here.backend().noAccess(elsewhere.backend()), "opened by another driver object");
      assertEquals("1", property(here));
      assertEquals("0", property(there));
    }
  }

  @Test
  void devicesOfOneGpuShareMemoryWithoutAQuery() {
    sim.simulator().peer(0, 1, false);
    try (OpenGpu one = open(0);
        OpenGpu two = open(0)) {
      assertSame(one.backend().eventDomain(), two.backend().eventDomain());
      assertNull(one.backend().noAccess(two.backend()));
      enable(one, two);
      assertEquals(0, sim.calls(PEER_ENABLE));
      assertEquals(0, sim.calls(POOL_ENABLE));
    }
  }

  @Test
  void givesTheReasonForMissingAccess() {
    sim.simulator().peer(0, 1, false);
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      String reason = here.backend().noAccess(there.backend());
      assertEquals("the runtime offers no access", reason);
      assertNull(there.backend().noAccess(here.backend()), "the other way round");
      assertEquals("none; not 1: " + reason, property(here));
      assertEquals("0", property(there));
    }
  }

  @Test
  void aFailedQueryOfAccessIsAReason() {
    sim.fail(PEER_QUERY, 1, GpuFault.PLAIN_CODE);
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      String reason = here.backend().noAccess(there.backend());
      assertNotNull(reason);
      assertTrue(reason.startsWith(sim.name(PEER_QUERY) + " returned 999"), reason);
      assertNull(there.backend().noAccess(here.backend()), "asked in another call");
      assertEquals("none; not 1: " + reason, property(here));
      assertNull(here.device().lostCause());
    }
  }

  @Test
  void queriesAccessOnce() {
    sim.simulator().devices(2);
    try (OpenGpu here = open(0);
        OpenGpu there = open(1);
        OpenGpu again = open(0)) {
      assertEquals(2, sim.calls(PEER_QUERY), "each about the other one");
      assertNull(again.backend().noAccess(there.backend()));
      assertNull(here.backend().noAccess(there.backend()));
      assertEquals(2, sim.calls(PEER_QUERY));
    }
  }

  @Test
  void devicesOfOtherDriversShareNothing() {
    DeviceInfo info =
        DeviceInfo.builder("strange", 0)
            .name("Strange")
            .uuid("0")
            .memoryBytes(1)
            .maxWorkgroupCount(new Workgroups(1, 1, 1))
            .maxWorkgroupItems(1)
            .build();
    DeviceBackend<?> strange =
        (DeviceBackend<?>)
            Proxy.newProxyInstance(
                GpuPeerBackendTest.class.getClassLoader(),
                new Class<?>[] {DeviceBackend.class},
                (proxy, method, arguments) -> method.getName().equals("info") ? info : null);
    try (OpenGpu here = open(0)) {
      assertEquals(
          "devices of the driver " + name + " do not use the memory of those of strange",
          here.backend().noAccess(strange));
    }
  }

  // Access.

  @Test
  void enablesAccessForTheContextAndThePool() {
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      enable(here, there);
      assertEquals(1, sim.calls(PEER_ENABLE));
      assertEquals(1, sim.calls(POOL_ENABLE));
      enable(here, there);
      enable(there, here);
    }
  }

  /** The first device's access stays, and a second device on its GPU gets it too. */
  @Test
  void enablesAccessForThePoolsOfAllDevicesOfAGpu() {
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      enable(here, there);
      try (OpenGpu again = open(1)) {
        enable(here, again);
        assertEquals(2, sim.calls(POOL_ENABLE));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedEnableLosesNothingAndMayBeRepeated(boolean isPool) {
    NativeCall call = enabling(isPool);
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      sim.fail(call, 1, GpuFault.PLAIN_CODE);
      assertHal(
          Status.UNKNOWN,
          () -> enable(here, there),
          "device 0 gets no access to the memory of device 1: " + sim.name(call) + " returned 999");
      assertFalse(here.backend().runtime().isLost());
      enable(here, there);
    }
  }

  /** The native call may report the other device's loss. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedEnableOfALostPeerDoesNotLoseTheDevice(boolean isPool) {
    NativeCall call = enabling(isPool);
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      sim.fail(call, 1, GpuFault.STICKY_CODE);
      assertHal(
          Status.FAILED_PRECONDITION,
          () -> enable(here, there),
          sim.name(call) + " returned 719",
          "lost");
      assertFalse(here.backend().runtime().isLost());
      enable(here, there);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedEnableOfALostDeviceLosesIt(boolean isPool) {
    NativeCall call = enabling(isPool);
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      sim.failForGood(call, GpuFault.STICKY_CODE);
      assertHal(Status.UNAVAILABLE, () -> enable(here, there), "returned 719");
      assertTrue(here.backend().runtime().isLost());
      assertFalse(there.backend().runtime().isLost());
    }
  }

  // Events.

  @Test
  void aStreamWaitsForAnEventOfAnotherDevice() {
    try (OpenGpu here = open(0);
        OpenGpu there = open(1)) {
      waitAcross(here.backend(), there.backend());
    }
  }

  @Test
  void aStreamWaitsForAnEventOfAnotherDeviceOnItsGpu() {
    try (OpenGpu here = open(0);
        OpenGpu same = open(0)) {
      waitAcross(here.backend(), same.backend());
    }
  }

  private void waitAcross(GpuDevice first, GpuDevice second) {
    NativeStream<GpuEvent> producer = bound(first, () -> first.createStream(1));
    NativeStream<GpuEvent> consumer = bound(second, () -> second.createStream(1));
    GpuEvent produced = bound(first, producer::createEvent);
    GpuEvent consumed = bound(second, consumer::createEvent);
    long stream = ((GpuStream) producer).handle();
    sim.simulator().pause(0, stream);
    try {
      run(first, () -> new StreamSteps<>(producer).recordEvent(produced));
      run(second, () -> new StreamSteps<>(consumer).waitEvent(produced));
      run(second, () -> new StreamSteps<>(consumer).recordEvent(consumed));
      assertFalse(bound(first, () -> producer.queryEvent(produced)));
      assertFalse(bound(second, () -> consumer.queryEvent(consumed)));
      run(
          first,
          () -> producer.destroyEvent(produced)); // the wait does not need the event any more
    } finally {
      sim.simulator().resume(0, stream);
    }
    Waits.awaitTrue(
        "the stream that waits to go on", () -> bound(second, () -> consumer.queryEvent(consumed)));
    run(second, () -> consumer.destroyEvent(consumed));
    Waits.awaitTrue("the producer", () -> bound(first, producer::isIdle));
    run(first, producer::close);
    run(second, consumer::close);
  }
}
