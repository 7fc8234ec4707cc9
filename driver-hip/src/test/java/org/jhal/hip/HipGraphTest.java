// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.HipGraphCalls.DEVICE_TO_DEVICE;
import static org.jhal.hip.HipGraphCalls.DEVICE_TO_HOST;
import static org.jhal.hip.HipGraphCalls.memset;
import static org.jhal.hip.HipGraphCalls.packed;
import static org.jhal.hip.HipGraphCalls.separate;
import static org.jhal.hip.HipGraphCalls.size;
import static org.jhal.hip.HipGraphCalls.value;
import static org.jhal.hip.jna.HipApi.API;
import static org.jhal.hip.jna.HipConstants.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.List;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.simulator.Simulator.GraphFault;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Graphs of the stand-in for the HIP runtime, and the known faults of real ones. */
class HipGraphTest extends OnSimulatedHip {
  private HipGraphCalls graphs;
  private long stream;
  private long memory;
  private long fill;

  @BeforeEach
  void prepare() {
    graphs = new HipGraphCalls(library.library().library());
    stream = stream();
    memory = memory(4096);
    fill = function("fill");
  }

  private void launch(long instance) {
    ok(graphs.code("hipGraphLaunch", instance, stream));
  }

  private int[] run(long instance, int count) {
    launch(instance);
    return read(memory, count, stream);
  }

  private static String misuses() {
    return String.join("\n", simulator.misuses());
  }

  @Test
  void nodesRunInTheOrderOfTheirEdges() {
    long[] host = new long[1];
    ok(API.setup().hostMalloc(host, 16, 0));
    long graph = graphs.graph();
    long clear = graphs.memset(graph, memset(memory, 0x0102, 2, 8));
    long kernel = graphs.kernel(graph, packed(fill, 2, memory, 7), clear);
    long copy = graphs.memcpy(graph, memory + 16, memory, 16, DEVICE_TO_DEVICE, kernel);
    long late = graphs.kernel(graph, separate(fill, 1, memory, 9), copy);
    graphs.memcpy(graph, host[0], memory + 16, 16, DEVICE_TO_HOST, copy, late);
    graphs.memcpy(graph, memory + 32, memory, 4, GpuApi.MEMCPY_DEFAULT, late);
    long instance = graphs.instance(graph);
    graphs.ok("hipGraphDestroy", graph);
    graphs.ok("hipGraphUpload", instance, stream);
    int[] expected = {9, 7, 0x01020102, 0x01020102, 7, 7, 0x01020102, 0x01020102, 9};
    for (int i = 0; i < 50; i++) {
      ok(API.memsetD8Async(memory, (byte) -1, 64, stream));
      assertArrayEquals(expected, run(instance, 9));
      assertArrayEquals(
          new int[] {7, 7, 0x01020102, 0x01020102}, new Pointer(host[0]).getIntArray(0, 4));
    }
    graphs.ok("hipGraphExecDestroy", instance);
    assertEquals(List.of(), simulator.misuses());
    assertTrue(!simulator.live().containsKey("graph exec"), () -> "" + simulator.live());
  }

  @Test
  void settingANodeAffectsLaterLaunches() {
    long graph = graphs.graph();
    Memory parameters = packed(fill, 1, memory, 1);
    long kernel = graphs.kernel(graph, parameters);
    long memset = graphs.memset(graph, memset(memory + 4, 2, 4, 1));
    long memcpy = graphs.memcpy(graph, memory + 8, memory, 8, DEVICE_TO_DEVICE, kernel, memset);
    long instance = graphs.instance(graph);
    value(parameters, 99);
    simulator.pause(0, stream);
    launch(instance);
    long other = memory + 64;
    Memory changed = separate(fill, 1, other, 3);
    ok(graphs.setKernel(instance, kernel, changed));
    value(changed, 99);
    ok(graphs.setMemset(instance, memset, memset(other + 4, 4, 4, 1)));
    ok(graphs.setMemcpy(instance, memcpy, other + 8, other, 8, DEVICE_TO_DEVICE));
    launch(instance);
    simulator.resume(0, stream);
    assertArrayEquals(new int[] {1, 2, 1, 2}, read(memory, 4, stream));
    assertArrayEquals(new int[] {3, 4, 3, 4}, read(other, 4, stream));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void refusesInvalidNodesWithoutAChange() {
    long[] host = new long[1];
    ok(API.setup().hostMalloc(host, 16, 0));
    long graph = graphs.graph();
    long kernel = graphs.kernel(graph, packed(fill, 1, memory, 1));
    long memset = graphs.memset(graph, memset(memory + 4, 2, 4, 1));
    long memcpy =
        graphs.memcpy(graph, memory + 8, memory, 8, GpuApi.MEMCPY_DEFAULT, kernel, memset);
    long instance = graphs.instance(graph);
    Memory wrong = packed(fill, 1, memory, 5);
    size(wrong, 8);
    assertEquals(701, graphs.setKernel(instance, kernel, wrong));
    Memory ended = packed(fill, 1, memory, 5);
    ended.setLong(80 + 32, 0);
    assertEquals(hipErrorInvalidValue, graphs.setKernel(instance, kernel, ended));
    assertEquals(
        hipErrorInvalidValue, graphs.setMemset(instance, memset, memset(host[0], 5, 1, 1)));
    assertEquals(
        hipErrorInvalidValue,
        graphs.setMemcpy(instance, memcpy, host[0], memory, 8, GpuApi.MEMCPY_DEFAULT));
    assertEquals(21, graphs.setMemcpy(instance, memcpy, memory + 8, memory, 8, 5));
    assertEquals(List.of(), simulator.misuses());
    assertEquals(
        hipErrorInvalidValue, graphs.setKernel(instance, memset, packed(fill, 1, memory, 5)));
    Memory twice = packed(fill, 1, memory, 5);
    assertEquals(
        hipErrorInvalidValue,
        graphs.code(
            "hipGraphAddKernelNode", new long[1], graph, new long[] {kernel, kernel}, 2L, twice));
    assertEquals(
        hipErrorInvalidValue,
        graphs.setMemcpy(instance, memcpy, memory + 8, memory, 4089, GpuApi.MEMCPY_DEFAULT));
    assertEquals(3, simulator.misuses().size(), HipGraphTest::misuses);
    assertArrayEquals(new int[] {1, 2, 1, 2}, run(instance, 4));
    String instantiate = STAND_IN.function("hipGraphInstantiateWithFlags");
    simulator.fail(instantiate, 1, 2);
    assertEquals(2, graphs.code("hipGraphInstantiateWithFlags", new long[1], graph, 0L));
  }

  @Test
  void refusesObjectsOfAnotherDevice() {
    long graph = graphs.graph();
    graphs.kernel(graph, packed(fill, 1, memory, 1));
    long instance = graphs.instance(graph);
    ok(API.setDevice(1));
    long there = stream();
    assertEquals(400, graphs.code("hipGraphLaunch", instance, there));
    ok(API.setDevice(0));
    assertTrue(misuses().contains("do not belong together"), HipGraphTest::misuses);
  }

  /** Real runtimes have read arguments that the caller had freed. */
  @Test
  void simulatesArgumentsThatAreReadAtTheLaunch() {
    simulator.graphFaults(GraphFault.KEEPS_POINTERS);
    long graph = graphs.graph();
    Memory packed = packed(fill, 1, memory, 1);
    Memory separate = separate(fill, 1, memory + 4, 1);
    long first = graphs.kernel(graph, packed);
    graphs.kernel(graph, separate);
    long instance = graphs.instance(graph);
    value(packed, 2);
    value(separate, 2);
    assertArrayEquals(new int[] {2, 2}, run(instance, 2));
    Memory other = packed(fill, 1, memory, 3);
    ok(graphs.setKernel(instance, first, other));
    value(other, 4);
    simulator.pause(0, stream);
    launch(instance);
    value(other, 5);
    simulator.resume(0, stream);
    assertArrayEquals(new int[] {4, 2}, read(memory, 2, stream));
    simulator.graphFaults();
    assertArrayEquals(new int[] {3, 1}, run(instance, 2));
  }

  @Test
  void simulatesAChangeOfALaunchInFlight() {
    simulator.graphFaults(GraphFault.CHANGES_LAUNCHES_IN_FLIGHT);
    long graph = graphs.graph();
    long kernel = graphs.kernel(graph, packed(fill, 1, memory, 1));
    long instance = graphs.instance(graph);
    assertArrayEquals(new int[] {1}, run(instance, 1));
    simulator.pause(0, stream);
    launch(instance);
    ok(graphs.setKernel(instance, kernel, packed(fill, 1, memory, 2)));
    simulator.resume(0, stream);
    assertArrayEquals(new int[] {2}, read(memory, 1, stream));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void simulatesStaleNodesOfLongGraphs() {
    long graph = graphs.graph();
    int count = 202;
    long[] nodes = new long[count];
    for (int i = 0; i < count; i++) {
      nodes[i] = graphs.kernel(graph, packed(fill, 1, memory + 4L * i, 1));
    }
    long instance = graphs.instance(graph);
    simulator.graphFaults(GraphFault.STALE_NODES);
    for (int i = 0; i < count; i++) {
      ok(graphs.setKernel(instance, nodes[i], packed(fill, 1, memory + 4L * i, 2)));
    }
    int[] seen = run(instance, count);
    for (int i = 0; i < count; i++) {
      assertEquals(i < 200 ? 2 : 1, seen[i], "node " + i);
    }
    simulator.graphFaults();
    ok(graphs.setKernel(instance, nodes[201], packed(fill, 1, memory + 4L * 201, 3)));
    assertEquals(3, run(instance, count)[201]);
    assertEquals(List.of(), simulator.misuses());
  }
}
