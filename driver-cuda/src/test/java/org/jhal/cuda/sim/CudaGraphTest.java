// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.jhal.cuda.sim.CudaGraphCalls.DEVICE;
import static org.jhal.cuda.sim.CudaGraphCalls.HOST;
import static org.jhal.cuda.sim.CudaGraphCalls.UNIFIED;
import static org.jhal.cuda.sim.CudaGraphCalls.kernelParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.memcpyParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.memsetParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.packedParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Graphs of the simulated driver library. */
class CudaGraphTest extends OnSimulatedGraphs {
  @Test
  void nodesRunInTheOrderOfTheirEdges() {
    long graph = graphs.graph();
    long host = cuda.make("cuMemHostAlloc", 16L, 0);
    long clear = graphs.memset(graph, memsetParameters(memory, 0x0102, 2, 8));
    long kernel = graphs.kernel(graph, kernelParameters(fill, 2, memory, 7), clear);
    long copy =
        graphs.memcpy(graph, memcpyParameters(DEVICE, memory + 16, DEVICE, memory, 16), kernel);
    long late = graphs.memset(graph, memsetParameters(memory, 9, 1, 1), copy);
    graphs.memcpy(graph, memcpyParameters(HOST, host, UNIFIED, memory + 16, 16), copy, late);
    long instance = graphs.instance(graph);
    cuda.ok("cuGraphUpload", instance, stream);
    int[] expected = {7, 7, 0x01020102, 0x01020102};
    for (int i = 0; i < 50; i++) {
      cuda.ok("cuMemsetD8_v2", memory, (byte) -1, 64L);
      graphs.run(instance, stream);
      assertArrayEquals(expected, read(memory + 16, 4));
      assertArrayEquals(expected, new Pointer(host).getIntArray(0, 4));
      assertEquals(9, read(memory));
    }
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void aMissingEdgeShows() {
    long graph = graphs.graph();
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 1));
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 2));
    long ordered = graphs.graph();
    long before = graphs.kernel(ordered, kernelParameters(fill, 1, memory, 1));
    graphs.kernel(ordered, kernelParameters(fill, 1, memory, 2), before);
    long instance = graphs.instance(graph);
    long orderedInstance = graphs.instance(ordered);
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      graphs.run(instance, stream);
      seen.add(read(memory));
      graphs.run(orderedInstance, stream);
      assertEquals(2, read(memory));
    }
    assertEquals(Set.of(1, 2), seen);
  }

  @Test
  void anInstanceKeepsTheGraphAsItWas() {
    long graph = graphs.graph();
    long empty = graphs.instance(graph);
    long node = graphs.kernel(graph, kernelParameters(fill, 1, memory, 5));
    cuda.ok("cuMemsetD32_v2", memory, 3, 1L);
    graphs.run(empty, stream);
    assertEquals(3, read(memory));
    long instance = graphs.instance(graph);
    assertEquals(
        INVALID_VALUE, graphs.setKernel(empty, node, kernelParameters(fill, 1, memory, 6)));
    assertTrue(misuses().contains("is not one of the instance's"), CudaGraphTest::misuses);
    cuda.ok("cuGraphDestroy", graph);
    graphs.run(instance, stream);
    assertEquals(5, read(memory));
    assertEquals(
        INVALID_VALUE, graphs.setKernel(instance, node, kernelParameters(fill, 1, memory, 6)));
    assertTrue(misuses().contains("the graph node"), CudaGraphTest::misuses);
  }

  @Test
  void argumentsAreCopiedWhenANodeIsAddedAndWhenItIsSet() {
    long graph = graphs.graph();
    Memory separate = kernelParameters(fill, 1, memory, 1);
    Memory packed = packedParameters(fill, memory + 4, 2, 12);
    long first = graphs.kernel(graph, separate);
    long second = graphs.kernel(graph, packed);
    value(separate, 11);
    value(packed, 12);
    long instance = graphs.instance(graph);
    graphs.run(instance, stream);
    assertArrayEquals(new int[] {1, 2}, read(memory, 2));
    assertEquals(0, graphs.setKernel(instance, first, separate));
    assertEquals(0, graphs.setKernel(instance, second, packed));
    value(separate, 21);
    value(packed, 22);
    graphs.run(instance, stream);
    assertArrayEquals(new int[] {11, 12}, read(memory, 2));
    long other = graphs.instance(graph);
    graphs.run(other, stream);
    assertArrayEquals(new int[] {1, 2}, read(memory, 2), "the graph is what it was");
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void settingANodeAffectsLaterLaunches() {
    long graph = graphs.graph();
    long kernel = graphs.kernel(graph, kernelParameters(fill, 1, memory, 1));
    long memset = graphs.memset(graph, memsetParameters(memory + 4, 2, 4, 1));
    long memcpy =
        graphs.memcpy(
            graph, memcpyParameters(DEVICE, memory + 8, DEVICE, memory, 8), kernel, memset);
    long instance = graphs.instance(graph);
    simulator.pause(0, stream);
    cuda.ok("cuGraphLaunch", instance, stream);
    long other = memory + 64;
    assertEquals(0, graphs.setKernel(instance, kernel, kernelParameters(fill, 2, other, 3)));
    assertEquals(0, graphs.setMemset(instance, memset, memsetParameters(other + 4, 0x0504, 2, 1)));
    Memory copy = memcpyParameters(UNIFIED, other + 8, DEVICE, other, 4);
    assertEquals(0, graphs.setMemcpy(instance, memcpy, copy));
    cuda.ok("cuGraphLaunch", instance, stream);
    cuda.ok("cuMemsetD8_v2", memory, (byte) 0, 128L);
    simulator.resume(0, stream);
    cuda.ok("cuStreamSynchronize", stream);
    assertArrayEquals(new int[] {1, 2, 1, 2}, read(memory, 4));
    int[] changed = read(other, 4);
    assertEquals(3, changed[0]);
    assertTrue(Set.of(3, 0x0504).contains(changed[1]), "the kernel and the fill have no edge");
    assertEquals(3, changed[2]);
    assertEquals(0, changed[3]);
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void launchesOfOneInstanceRunInOrder() {
    long graph = graphs.graph();
    long node = graphs.kernel(graph, kernelParameters(fill, 1, memory, 1));
    long instance = graphs.instance(graph);
    long second = cuda.stream();
    simulator.pause(0, stream);
    cuda.ok("cuGraphLaunch", instance, stream);
    assertEquals(0, graphs.setKernel(instance, node, kernelParameters(fill, 1, memory, 2)));
    cuda.ok("cuGraphLaunch", instance, second);
    assertEquals(600, cuda.code("cuStreamQuery", second));
    simulator.resume(0, stream);
    cuda.ok("cuStreamSynchronize", second);
    cuda.ok("cuStreamQuery", stream);
    assertEquals(2, read(memory));
    assertEquals(List.of(), simulator.misuses());
  }

  /** Each launch adds one to a count, in a way that an overlapping launch would disturb. */
  @Test
  void launchesOfOneInstanceDoNotOverlap() {
    long one = memory + 64;
    long count = memory + 128;
    long next = memory + 192;
    cuda.ok("cuMemsetD32_v2", one, Float.floatToIntBits(1), 1L);
    cuda.ok("cuMemsetD32_v2", count, 0, 1L);
    long saxpy = cuda.function(kernels.image(), "saxpy");
    long graph = graphs.graph();
    long clear = graphs.memset(graph, memsetParameters(next, 0, 4, 1));
    long read = graphs.kernel(graph, kernelParameters(saxpy, 1, 1, 1f, count, next), clear);
    long add = graphs.kernel(graph, kernelParameters(saxpy, 1, 1, 1f, one, next), read);
    graphs.memcpy(graph, memcpyParameters(DEVICE, count, DEVICE, next, 4), add);
    long instance = graphs.instance(graph);
    long[] streams = {stream, cuda.stream(), cuda.stream()};
    simulator.delay("@kernel", Duration.ofMillis(1)); // other streams come in between
    for (int i = 0; i < 30; i++) {
      cuda.ok("cuGraphLaunch", instance, streams[i % 3]);
    }
    for (long each : streams) {
      cuda.ok("cuStreamSynchronize", each);
    }
    assertEquals(30f, Float.intBitsToFloat(read(count)));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void releasesInstancesAndGraphs() {
    long graph = graphs.graph();
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
    long instance = graphs.instance(graph);
    assertEquals(1L, simulator.live().get("graph"));
    assertEquals(1L, simulator.live().get("graph exec"));
    simulator.pause(0, stream);
    cuda.ok("cuGraphLaunch", instance, stream);
    cuda.ok("cuGraphExecDestroy", instance);
    cuda.ok("cuGraphDestroy", graph);
    assertEquals(Set.of("context", "stream", "module", "memory", "memory bytes"), live());
    simulator.resume(0, stream);
    cuda.ok("cuStreamSynchronize", stream);
    assertEquals(4, read(memory), "a launch outlives its instance");
    assertEquals(List.of(), simulator.misuses());
    assertEquals(400, cuda.code("cuGraphLaunch", instance, stream));
    assertEquals(400, cuda.code("cuGraphExecDestroy", instance));
    assertEquals(400, cuda.code("cuGraphDestroy", graph));
    assertTrue(misuses().contains("the graph exec"), CudaGraphTest::misuses);
    long abandoned = graphs.graph();
    graphs.memset(abandoned, memsetParameters(memory, 1, 1, 1));
    graphs.instance(abandoned);
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    Map<String, Long> expected =
        Map.of("stream", 1L, "module", 1L, "memory", 1L, "graph", 1L, "graph exec", 1L);
    assertEquals(expected, simulator.abandoned());
  }

  @Test
  void workOfADestroyedContextIsAbandonedWithItsGraph() {
    long graph = graphs.graph();
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
    long instance = graphs.instance(graph);
    simulator.pause(0, stream);
    cuda.ok("cuGraphLaunch", instance, stream);
    cuda.ok("cuGraphLaunch", instance, cuda.stream());
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    assertEquals(1L, simulator.abandoned().get("graph exec"));
    assertEquals(Map.of(), simulator.live());
  }
}
