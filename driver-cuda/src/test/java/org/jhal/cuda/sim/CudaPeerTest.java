// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two simulated devices: which can use the other's memory, and wait for its events. */
class CudaPeerTest extends OnSimulatedCuda {
  private static final int INVALID_VALUE = 1;
  private static final int INVALID_CONTEXT = 201;
  private static final int UNSUPPORTED = 217;
  private static final int NOT_READY = 600;
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int ENABLED = 704;
  private static final int NOT_ENABLED = 705;

  private long stream; // of device 0, whose context is current
  private long other; // the context of device 1
  private long otherStream;

  @BeforeEach
  void open() {
    simulator.devices(2);
    stream = cuda.stream();
    other = cuda.make("cuDevicePrimaryCtxRetain", 1);
    otherStream = onOther(cuda::stream);
  }

  private long onOther(LongSupplier body) {
    cuda.ok("cuCtxPushCurrent_v2", other);
    long result = body.getAsLong();
    cuda.ok("cuCtxPopCurrent_v2", Pointer.NULL);
    return result;
  }

  /** 64 bytes of device 1. */
  private long there() {
    return onOther(() -> cuda.make("cuMemAlloc_v2", 64L));
  }

  private long pool() {
    Memory properties = new Memory(88);
    properties.clear();
    properties.setInt(0, 1);
    properties.setInt(8, 1);
    properties.setInt(12, 1);
    return cuda.make("cuMemPoolCreate", properties);
  }

  /** 64 bytes of a pool of device 1. */
  private long pooled(long pool) {
    return onOther(
        () -> {
          long address = cuda.make("cuMemAllocFromPoolAsync", 64L, pool, otherStream);
          cuda.ok("cuStreamSynchronize", otherStream);
          return address;
        });
  }

  private int setAccess(long pool, int device, int flags) {
    Memory access = new Memory(12);
    access.setInt(0, 1);
    access.setInt(4, device);
    access.setInt(8, flags);
    return cuda.code("cuMemPoolSetAccess", pool, access, 1L);
  }

  private int copy(long to, long from) {
    return cuda.code("cuMemcpyAsync", to, from, 64L, stream);
  }

  private void assertOutOfReach(int copies) {
    assertEquals(copies, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
    assertTrue(
        simulator.misuses().stream()
            .allMatch(line -> line.endsWith("of device 1, which device 0 has no access to")));
  }

  @Test
  void memoryOfAnotherDeviceNeedsAccess() {
    long there = there();
    long here = cuda.make("cuMemAlloc_v2", 64L);
    assertEquals(INVALID_VALUE, copy(here, there));
    assertEquals(INVALID_VALUE, copy(there, here));
    assertEquals(INVALID_VALUE, cuda.code("cuMemsetD8Async", there, (byte) 1, 64L, stream));
    assertOutOfReach(3);
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    assertEquals(ENABLED, cuda.code("cuCtxEnablePeerAccess", other, 0));
    long fill = cuda.function(kernels.image(), "fill");
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, there, 3));
    assertEquals(0, copy(here, there));
    cuda.ok("cuMemcpyPeerAsync", here, context, there, other, 64L, stream);
    cuda.ok("cuStreamSynchronize", stream);
    int[] seen = new int[16];
    cuda.ok("cuMemcpyDtoH_v2", seen, here, 64L);
    assertEquals(3, seen[15]);
    assertOutOfReach(3);
  }

  @Test
  void accessIsForOneDirectionUntilItIsDisabled() {
    long there = there();
    long here = cuda.make("cuMemAlloc_v2", 64L);
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    assertEquals(
        INVALID_VALUE,
        onOther(() -> cuda.code("cuMemcpyAsync", there, here, 64L, otherStream)),
        "the other way round");
    cuda.ok("cuCtxDisablePeerAccess", other);
    assertEquals(NOT_ENABLED, cuda.code("cuCtxDisablePeerAccess", other));
    assertEquals(INVALID_VALUE, copy(here, there));
  }

  @Test
  void aKernelWithAnInaccessibleArgumentLosesOnlyItsContext() {
    long there = there();
    long fill = cuda.function(kernels.image(), "fill");
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, there, 3));
    assertEquals(ILLEGAL_ADDRESS, cuda.code("cuStreamSynchronize", stream));
    cuda.ok("cuCtxSetCurrent", other);
    cuda.make("cuMemAlloc_v2", 64L);
  }

  @Test
  void memoryOfAPoolAlsoNeedsAccessToThePool() {
    long pool = pool();
    long there = pooled(pool);
    long here = cuda.make("cuMemAlloc_v2", 64L);
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    assertEquals(INVALID_VALUE, copy(here, there));
    assertOutOfReach(1);
    assertEquals(0, setAccess(pool, 0, 3));
    assertEquals(0, setAccess(pool, 0, 3), "again");
    assertEquals(0, copy(here, there));
    cuda.ok("cuStreamSynchronize", stream);
    cuda.ok("cuCtxDisablePeerAccess", other);
    assertEquals(INVALID_VALUE, copy(here, there), "the access of the pool alone");
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    assertEquals(0, setAccess(pool, 0, 0));
    assertEquals(INVALID_VALUE, copy(here, there), "taken back");
  }

  @Test
  void checksAccessToAPool() {
    long pool = pool();
    assertEquals(INVALID_VALUE, setAccess(pool, 2, 3), "no such device");
    assertEquals(INVALID_VALUE, setAccess(pool, 0, 2), "no such access");
    assertEquals(INVALID_VALUE, setAccess(pool, 1, 0), "none of its own device");
    assertEquals(0, setAccess(pool, 1, 3));
    assertEquals(INVALID_VALUE, cuda.code("cuMemPoolSetAccess", pool, Pointer.NULL, 1L));
  }

  @Test
  void reportsADeviceThatOffersNoAccess() {
    simulator.peer(0, 1, false);
    int[] can = new int[1];
    cuda.ok("cuDeviceCanAccessPeer", can, 0, 1);
    assertEquals(0, can[0]);
    cuda.ok("cuDeviceCanAccessPeer", can, 1, 0);
    assertEquals(1, can[0], "the other way round");
    assertEquals(UNSUPPORTED, cuda.code("cuCtxEnablePeerAccess", other, 0));
    assertEquals(INVALID_VALUE, setAccess(pool(), 0, 3));
    assertEquals(INVALID_CONTEXT, cuda.code("cuCtxEnablePeerAccess", context, 0), "its own");
    simulator.peer(0, 1, true);
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
  }

  /** Access was to the memory of that context, and not to that of a later one. */
  @Test
  void accessEndsWithTheContextOfTheOtherDevice() {
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 1);
    other = cuda.make("cuDevicePrimaryCtxRetain", 1);
    long there = there();
    long here = cuda.make("cuMemAlloc_v2", 64L);
    assertEquals(INVALID_VALUE, copy(here, there));
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    assertEquals(0, copy(here, there));
  }

  @Test
  void aCopyThatRunsAfterAccessHasEndedLosesTheContext() {
    long there = there();
    long here = cuda.make("cuMemAlloc_v2", 64L);
    cuda.ok("cuCtxEnablePeerAccess", other, 0);
    simulator.pause(0, stream);
    assertEquals(0, copy(here, there));
    cuda.ok("cuCtxDisablePeerAccess", other);
    simulator.resume(0, stream);
    assertEquals(ILLEGAL_ADDRESS, cuda.code("cuStreamSynchronize", stream));
  }

  @Test
  void aStreamWaitsForADestroyedEventOfAnotherDevice() {
    long event = onOther(cuda::event);
    simulator.pause(1, otherStream);
    onOther(
        () -> {
          cuda.ok("cuEventRecord", event, otherStream);
          return 0;
        });
    cuda.ok("cuStreamWaitEvent", stream, event, 0);
    onOther(
        () -> {
          cuda.ok("cuEventDestroy_v2", event);
          return 0;
        });
    assertEquals(NOT_READY, cuda.code("cuStreamQuery", stream));
    simulator.resume(1, otherStream);
    cuda.ok("cuStreamSynchronize", stream);
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void aStreamContinuesIfTheDeviceOfTheEventIsLostOrClosed() {
    for (boolean isLost : new boolean[] {true, false}) {
      long event = onOther(cuda::event);
      simulator.pause(1, otherStream);
      onOther(() -> cuda.code("cuEventRecord", event, otherStream));
      cuda.ok("cuStreamWaitEvent", stream, event, 0);
      assertEquals(NOT_READY, cuda.code("cuStreamQuery", stream));
      if (isLost) {
        simulator.failForGood("cuEventCreate", 719);
        onOther(() -> cuda.code("cuEventCreate", new long[1], 0));
      }
      cuda.ok("cuDevicePrimaryCtxRelease_v2", 1);
      cuda.ok("cuStreamSynchronize", stream);
      open();
    }
  }
}
