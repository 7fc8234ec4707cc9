// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;
import static org.jhal.hip.jna.HipConstants.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.jhal.gpu.natives.GpuApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two devices of the stand-in: which can use the other's memory, and wait for its events. */
class HipPeerTest extends OnSimulatedHip {
  private static final int UNSUPPORTED = 217;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int SIXTEEN = 64; // ints, in bytes

  private long stream; // of device 0, which is current
  private long otherStream; // of device 1
  private long pool; // of device 1

  @BeforeEach
  void open() {
    stream = stream();
    ok(API.setDevice(1));
    otherStream = stream();
    long[] out = new long[1];
    ok(API.setup().memPoolCreate(out, poolOf(1)));
    pool = out[0];
    ok(API.setDevice(0));
  }

  @AfterEach
  void makeTheFirstCurrent() {
    ok(API.setDevice(0));
  }

  private static long there() {
    ok(API.setDevice(1));
    long there = memory(SIXTEEN);
    ok(API.setDevice(0));
    return there;
  }

  private long pooled() {
    long[] out = new long[1];
    ok(API.setDevice(1));
    ok(API.mallocFromPoolAsync(out, SIXTEEN, pool, otherStream));
    ok(API.streamSynchronize(otherStream));
    ok(API.setDevice(0));
    return out[0];
  }

  private int copy(long to, long from) {
    return API.memcpyAsync(to, from, SIXTEEN, GpuApi.MEMCPY_DEFAULT, stream);
  }

  @Test
  void memoryOfAnotherDeviceNeedsAccess() {
    long there = there();
    long here = memory(SIXTEEN);
    assertEquals(hipErrorInvalidValue, copy(here, there));
    assertEquals(hipErrorInvalidValue, copy(there, here));
    assertEquals(hipErrorInvalidValue, API.memsetD32Async(there, 1, 16, stream));
    ok(API.setup().deviceEnablePeerAccess(1, 0));
    assertEquals(GpuApi.PEER_ACCESS_ALREADY_ENABLED, API.setup().deviceEnablePeerAccess(1, 0));
    ok(launch(function("fill"), 1, 16, 0, stream, there, 3));
    ok(copy(here, there));
    int[] expected = new int[16];
    Arrays.fill(expected, 3);
    assertArrayEquals(expected, read(here, 16, stream));
    ok(API.setDevice(1));
    assertEquals(
        hipErrorInvalidValue,
        API.memcpyAsync(there, here, SIXTEEN, GpuApi.MEMCPY_DEFAULT, otherStream),
        "the other way round");
  }

  @Test
  void memoryOfAPoolAlsoNeedsAccessToThePool() {
    long there = pooled();
    long here = memory(SIXTEEN);
    ok(API.setup().deviceEnablePeerAccess(1, 0));
    assertEquals(hipErrorInvalidValue, copy(here, there));
    ok(API.setup().memPoolSetAccess(pool, accessOf(0), 1));
    ok(copy(here, there));
    ok(launch(function("fill"), 1, 16, 0, stream, there, 3));
    ok(API.streamSynchronize(stream));
    assertEquals(hipErrorInvalidValue, API.setup().memPoolSetAccess(pool, accessOf(2), 1));
  }

  @Test
  void aKernelWithAnInaccessibleArgumentLosesOnlyItsDevice() {
    long there = pooled();
    ok(API.setup().deviceEnablePeerAccess(1, 0));
    ok(launch(function("fill"), 1, 16, 0, stream, there, 3));
    assertEquals(ILLEGAL_ADDRESS, API.streamSynchronize(stream));
    ok(API.setDevice(1));
    ok(API.streamSynchronize(otherStream));
  }

  @Test
  void reportsADeviceThatOffersNoAccess() {
    simulator.peer(0, 1, false);
    int[] can = new int[1];
    ok(API.setup().deviceCanAccessPeer(can, 0, 1));
    assertEquals(0, can[0]);
    ok(API.setup().deviceCanAccessPeer(can, 1, 0));
    assertEquals(1, can[0], "the other way round");
    assertEquals(GpuApi.INVALID_DEVICE, API.setup().deviceCanAccessPeer(can, 0, 2));
    assertEquals(UNSUPPORTED, API.setup().deviceEnablePeerAccess(1, 0));
    assertEquals(GpuApi.INVALID_DEVICE, API.setup().deviceEnablePeerAccess(2, 0));
    assertEquals(hipErrorInvalidValue, API.setup().memPoolSetAccess(pool, accessOf(0), 1));
  }

  @Test
  void aStreamWaitsForADestroyedEventOfAnotherDevice() {
    ok(API.setDevice(1));
    long event = event();
    simulator.pause(1, otherStream);
    ok(API.eventRecord(event, otherStream));
    ok(API.setDevice(0));
    ok(API.streamWaitEvent(stream, event, 0));
    ok(API.setup().eventDestroy(event));
    assertEquals(GpuApi.NOT_READY, API.streamQuery(stream));
    simulator.resume(1, otherStream);
    ok(API.streamSynchronize(stream));
    assertEquals(List.of(), simulator.misuses());
  }
}
