// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Failures in the simulated driver library, and its reports. */
class CudaFaultTest extends OnSimulatedCuda {
  @Test
  void recordsMisusesAndReturnsCodes() {
    long stream = cuda.stream();
    long event = cuda.event();
    cuda.ok("cuStreamWaitEvent", stream, event, 0);
    cuda.ok("cuEventDestroy_v2", event);
    assertEquals(400, cuda.code("cuEventRecord", event, stream));
    assertEquals(400, cuda.code("cuEventDestroy_v2", event));
    long memory = cuda.make("cuMemAlloc_v2", 1000L);
    assertEquals(1, cuda.code("cuMemsetD8Async", memory, (byte) 1, 1001L, stream));
    assertEquals(1, cuda.code("cuMemFree_v2", memory + 8));
    cuda.ok("cuMemFree_v2", memory);
    assertEquals(1, cuda.code("cuMemFree_v2", memory));
    assertEquals(1, cuda.code("cuMemsetD8Async", memory, (byte) 1, 1000L, stream));
    assertEquals(400, cuda.code("cuMemsetD8Async", memory, (byte) 1, 0L, 0L));
    cuda.ok("cuCtxSetCurrent", 0L);
    assertEquals(201, cuda.code("cuStreamQuery", stream));
    String all = String.join("\n", simulator.misuses());
    for (String part :
        List.of(
            "cuStreamWaitEvent: the event",
            "cuEventRecord: the event",
            "cuEventDestroy_v2: the event",
            "go beyond device memory of 1000 bytes",
            "is inside of device memory",
            "cuMemFree_v2: ",
            "was freed before",
            "that was freed",
            "the default stream",
            "cuStreamQuery: no context is current")) {
      assertTrue(all.contains(part), () -> part + " is not in\n" + all);
    }
    assertEquals(9, simulator.misuses().size(), all);
  }

  @Test
  void findsUseAfterFreeWhenTheKernelRuns() {
    long stream = cuda.stream();
    long fill = cuda.function(kernels.image(), "fill");
    long memory = cuda.make("cuMemAllocAsync", 64L, stream);
    simulator.pause(0, stream);
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, memory, 5));
    cuda.ok("cuMemFree_v2", memory);
    simulator.resume(0, stream);
    assertEquals(700, cuda.code("cuStreamSynchronize", stream));
    assertTrue(simulator.misuses().get(0).contains("argument 0 of fill"));
  }

  @Test
  void aWildPointerFailsTheContextUntilItIsCreatedAgain() {
    long stream = cuda.stream();
    long event = cuda.event();
    assertEquals(0, cuda.launch(cuda.function(kernels.image(), "wild"), 1, 1, 0, stream, 8L));
    cuda.code("cuEventRecord", event, stream);
    assertEquals(700, cuda.code("cuStreamSynchronize", stream));
    assertEquals(700, cuda.code("cuEventQuery", event));
    assertEquals(700, cuda.code("cuMemAlloc_v2", new long[1], 16L));
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    assertEquals(709, cuda.code("cuMemAlloc_v2", new long[1], 16L));
    cuda.start();
    cuda.make("cuMemAlloc_v2", 16L);
  }

  @Test
  void aTrapAndAnInjectedFaultHaveTheSameEffect() {
    long stream = cuda.stream();
    assertEquals(0, cuda.launch(cuda.function(kernels.image(), "fail"), 1, 1, 0, stream));
    assertEquals(719, cuda.code("cuStreamSynchronize", stream));
    simulator.reset();
    cuda.start();
    stream = cuda.stream();
    long memory = cuda.make("cuMemAlloc_v2", 64L);
    long fill = cuda.function(kernels.image(), "fill");
    simulator.fail("@kernel", 2, 719);
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, memory, 5));
    cuda.ok("cuStreamSynchronize", stream);
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, memory, 5));
    assertEquals(719, cuda.code("cuStreamSynchronize", stream));
  }

  @Test
  void aFaultFailsTheNthUseOnce() {
    long stream = cuda.stream();
    long event = cuda.event();
    simulator.fail("cuEventRecord", 2, 304);
    cuda.ok("cuEventRecord", event, stream);
    assertEquals(304, cuda.code("cuEventRecord", event, stream));
    cuda.ok("cuEventRecord", event, stream);
    simulator.failForGood("cuEventQuery", 719);
    assertEquals(719, cuda.code("cuEventQuery", event));
    assertEquals(719, cuda.code("cuStreamQuery", stream));
    assertEquals(719, cuda.code("cuEventDestroy_v2", event));
  }

  @Test
  void countsObjectsThatAreNotReleased() {
    long stream = cuda.stream();
    cuda.event();
    cuda.make("cuMemAlloc_v2", 1000L);
    cuda.make("cuMemHostAlloc", 10L, 0);
    Memory host = new Memory(64);
    cuda.ok("cuMemHostRegister_v2", host, 64L, 0);
    assertEquals(712, cuda.code("cuMemHostRegister_v2", host.share(32), 8L, 0));
    Map<String, Long> live =
        Map.of(
            "context", 1L,
            "stream", 1L,
            "event", 1L,
            "memory", 1L,
            "memory bytes", 1000L,
            "host memory", 1L,
            "registration", 1L);
    assertEquals(live, simulator.live());
    cuda.ok("cuMemHostUnregister", host);
    cuda.ok("cuStreamDestroy_v2", stream);
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    assertEquals(Map.of(), simulator.live());
    assertEquals(Map.of("event", 1L, "memory", 1L, "host memory", 1L), simulator.abandoned());
  }

  @Test
  void workOfADestroyedContextIsAbandoned() {
    long stream = cuda.stream();
    long memory = cuda.make("cuMemAlloc_v2", 64L);
    simulator.pause(0, stream);
    cuda.ok("cuMemsetD8Async", memory, (byte) 7, 64L, stream);
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    assertEquals(Map.of("stream", 1L, "memory", 1L, "operation", 1L), simulator.abandoned());
  }
}
