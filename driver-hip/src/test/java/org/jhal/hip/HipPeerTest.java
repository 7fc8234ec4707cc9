package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;
import static org.jhal.hip.jna.HipRuntime.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.jhal.hip.jna.HipMemAccessDesc;
import org.jhal.hip.jna.HipMemPoolProps;
import org.jhal.hip.jna.hipEvent_t;
import org.jhal.hip.jna.hipMemPool_t;
import org.jhal.hip.jna.hipStream_t;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two devices of the stand-in: who can use whose memory, and wait for whose events. */
class HipPeerTest extends OnSimulatedHip {
  private static final int UNSUPPORTED = 217;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int SIXTEEN = 64; // ints, in bytes

  private hipStream_t stream; // of device 0, which is current
  private hipStream_t otherStream; // of device 1
  private hipMemPool_t pool; // of device 1

  @BeforeEach
  void open() {
    stream = stream();
    ok(hipSetDevice(1));
    otherStream = stream();
    long[] out = new long[1];
    ok(hipMemPoolCreate(out, HipMemPoolProps.ofDevice(1)));
    pool = new hipMemPool_t();
    pool.set(out[0]);
    ok(hipSetDevice(0));
  }

  @AfterEach
  void makeTheFirstCurrent() {
    ok(hipSetDevice(0));
  }

  private static long there() {
    ok(hipSetDevice(1));
    long there = memory(SIXTEEN);
    ok(hipSetDevice(0));
    return there;
  }

  private long pooled() {
    long[] out = new long[1];
    ok(hipSetDevice(1));
    ok(hipMallocFromPoolAsync(out, SIXTEEN, pool, otherStream));
    ok(hipStreamSynchronize(otherStream));
    ok(hipSetDevice(0));
    return out[0];
  }

  private int copy(long to, long from) {
    return hipMemcpyAsync(to, from, SIXTEEN, hipMemcpyDefault, stream);
  }

  @Test
  void memoryOfAnotherDeviceIsOutOfReachUntilAccessIsGiven() {
    long there = there();
    long here = memory(SIXTEEN);
    assertEquals(hipErrorInvalidValue, copy(here, there));
    assertEquals(hipErrorInvalidValue, copy(there, here));
    assertEquals(hipErrorInvalidValue, hipMemsetD32Async(there, 1, 16, stream));
    ok(hipDeviceEnablePeerAccess(1, 0));
    assertEquals(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(1, 0));
    ok(launch(function("fill"), 1, 16, 0, stream, there, 3));
    ok(copy(here, there));
    int[] expected = new int[16];
    Arrays.fill(expected, 3);
    assertArrayEquals(expected, read(here, 16, stream));
    ok(hipSetDevice(1));
    assertEquals(
        hipErrorInvalidValue,
        hipMemcpyAsync(there, here, SIXTEEN, hipMemcpyDefault, otherStream),
        "the other way round");
  }

  @Test
  void memoryOfAPoolNeedsTheAccessOfThePoolBesides() {
    long there = pooled();
    long here = memory(SIXTEEN);
    ok(hipDeviceEnablePeerAccess(1, 0));
    assertEquals(hipErrorInvalidValue, copy(here, there));
    ok(hipMemPoolSetAccess(pool, HipMemAccessDesc.ofDevice(0), 1));
    ok(copy(here, there));
    ok(launch(function("fill"), 1, 16, 0, stream, there, 3));
    ok(hipStreamSynchronize(stream));
    assertEquals(hipErrorInvalidValue, hipMemPoolSetAccess(pool, HipMemAccessDesc.ofDevice(2), 1));
  }

  @Test
  void aKernelWithAnArgumentThatIsOutOfReachLosesItsDeviceOnly() {
    long there = pooled();
    ok(hipDeviceEnablePeerAccess(1, 0));
    ok(launch(function("fill"), 1, 16, 0, stream, there, 3));
    assertEquals(ILLEGAL_ADDRESS, hipStreamSynchronize(stream));
    ok(hipSetDevice(1));
    ok(hipStreamSynchronize(otherStream));
  }

  @Test
  void aDeviceThatOffersNoAccessSaysSo() {
    simulator.peer(0, 1, false);
    int[] can = new int[1];
    ok(hipDeviceCanAccessPeer(can, 0, 1));
    assertEquals(0, can[0]);
    ok(hipDeviceCanAccessPeer(can, 1, 0));
    assertEquals(1, can[0], "the other way round");
    assertEquals(hipErrorInvalidDevice, hipDeviceCanAccessPeer(can, 0, 2));
    assertEquals(UNSUPPORTED, hipDeviceEnablePeerAccess(1, 0));
    assertEquals(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(2, 0));
    assertEquals(hipErrorInvalidValue, hipMemPoolSetAccess(pool, HipMemAccessDesc.ofDevice(0), 1));
  }

  @Test
  void aStreamWaitsForAnEventOfAnotherDeviceAlsoWhenThatIsDestroyed() {
    ok(hipSetDevice(1));
    hipEvent_t event = event();
    simulator.pause(1, otherStream.get());
    ok(hipEventRecord(event, otherStream));
    ok(hipSetDevice(0));
    ok(hipStreamWaitEvent(stream, event, 0));
    ok(hipEventDestroy(event.take()));
    assertEquals(hipErrorNotReady, hipStreamQuery(stream));
    simulator.resume(1, otherStream.get());
    ok(hipStreamSynchronize(stream));
    assertEquals(List.of(), simulator.misuses());
  }
}
