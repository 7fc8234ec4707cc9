// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.jhal.cuda.sim.CudaGraphCalls.DEVICE;
import static org.jhal.cuda.sim.CudaGraphCalls.HOST;
import static org.jhal.cuda.sim.CudaGraphCalls.UNIFIED;
import static org.jhal.cuda.sim.CudaGraphCalls.kernelParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.kernelShape;
import static org.jhal.cuda.sim.CudaGraphCalls.memcpyParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.memsetParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.packedParameters;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Calls that graphs of the simulated driver library refuse, and failures in graphs. */
class CudaGraphFaultTest extends OnSimulatedGraphs {
  @Test
  void refusesInvalidNodes() {
    long graph = graphs.graph();
    long other = graphs.graph();
    long node = graphs.memset(graph, memsetParameters(memory, 1, 1, 1));
    long foreign = graphs.memset(other, memsetParameters(memory, 1, 1, 1));
    Memory kernel = kernelParameters(fill, 1, memory, 1);
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, foreign));
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, node, node));
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, node, graph));
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, node + 0x100000));
    assertEquals(4, simulator.misuses().size(), CudaGraphFaultTest::misuses);
    assertEquals(400, addKernel(node, kernel));
    assertEquals(INVALID_VALUE, addKernel(graph, kernelShape(fill, 1, 1, 0)), "no arguments");
    assertEquals(INVALID_VALUE, addKernel(graph, kernelParameters(fill, 0, memory, 1)));
    Memory tooWide = kernelParameters(fill, 1, memory, 1);
    tooWide.setInt(20, 1025);
    assertEquals(INVALID_VALUE, addKernel(graph, tooWide));
    assertEquals(701, addKernel(graph, packedParameters(fill, memory, 1, 8)));
    assertEquals(INVALID_VALUE, addMemset(graph, memsetParameters(memory, 1, 3, 1)));
    assertEquals(INVALID_VALUE, addMemset(graph, memsetParameters(memory, 1, 1, 0)));
    assertEquals(INVALID_VALUE, addMemset(graph, memsetParameters(memory + 2, 1, 4, 1)));
    assertEquals(INVALID_VALUE, addMemset(graph, memsetParameters(memory, 1, 4, 1025)));
    Memory tall = memsetParameters(memory, 1, 1, 1);
    tall.setLong(32, 2);
    assertEquals(INVALID_VALUE, addMemset(graph, tall));
    Memory deep = memcpyParameters(DEVICE, memory, DEVICE, memory + 8, 8);
    deep.setLong(192, 2);
    assertEquals(INVALID_VALUE, addMemcpy(graph, deep));
    assertEquals(
        INVALID_VALUE, addMemcpy(graph, memcpyParameters(3, memory, DEVICE, memory + 8, 8)));
    assertEquals(
        INVALID_VALUE, addMemcpy(graph, memcpyParameters(DEVICE, memory, HOST, memory + 8, 8)));
    long freed = cuda.make("cuMemAlloc_v2", 64L);
    cuda.ok("cuMemFree_v2", freed);
    assertEquals(INVALID_VALUE, addMemset(graph, memsetParameters(freed, 1, 1, 1)));
    assertTrue(misuses().contains("of 64 bytes that was freed"), CudaGraphFaultTest::misuses);
    cuda.ok("cuMemsetD8_v2", memory, (byte) 0, 64L);
    graphs.run(graphs.instance(graph), stream);
    assertEquals(1, read(memory), "nothing but the first node is in the graph");
    assertEquals(0, read(memory + 4));
    assertEquals(INVALID_VALUE, cuda.code("cuGraphInstantiateWithFlags", new long[1], graph, 4L));
    assertEquals(INVALID_VALUE, cuda.code("cuGraphCreate", new long[1], 1));
  }

  private static int addKernel(long graph, Memory parameters, long... dependencies) {
    Object array = dependencies.length == 0 ? Pointer.NULL : dependencies;
    long count = dependencies.length;
    return cuda.code("cuGraphAddKernelNode_v2", new long[1], graph, array, count, parameters);
  }

  private int addMemset(long graph, Memory parameters) {
    return cuda.code(
        "cuGraphAddMemsetNode", new long[1], graph, Pointer.NULL, 0L, parameters, context);
  }

  private int addMemcpy(long graph, Memory parameters) {
    return cuda.code(
        "cuGraphAddMemcpyNode", new long[1], graph, Pointer.NULL, 0L, parameters, context);
  }

  @Test
  void aRefusedChangeChangesNothing() {
    long graph = graphs.graph();
    long host = cuda.make("cuMemHostAlloc", 64L, 0);
    long kernel = graphs.kernel(graph, kernelParameters(fill, 1, memory, 1));
    long memset = graphs.memset(graph, memsetParameters(memory + 4, 2, 4, 1));
    Memory copy = memcpyParameters(UNIFIED, memory + 8, UNIFIED, memory, 8);
    long memcpy = graphs.memcpy(graph, copy, kernel, memset);
    long foreign = graphs.kernel(graphs.graph(), kernelParameters(fill, 1, memory, 1));
    long instance = graphs.instance(graph);
    Memory other = kernelParameters(fill, 1, memory, 5);
    assertEquals(INVALID_VALUE, graphs.setKernel(instance, foreign, other));
    assertEquals(INVALID_VALUE, graphs.setKernel(instance, memset, other));
    assertTrue(misuses().contains("is a fill, not a kernel"), CudaGraphFaultTest::misuses);
    assertEquals(400, graphs.setKernel(graph, kernel, other));
    assertEquals(3, simulator.misuses().size(), CudaGraphFaultTest::misuses);
    assertEquals(701, graphs.setKernel(instance, kernel, packedParameters(fill, memory, 5, 16)));
    Memory shared = kernelParameters(fill, 1, memory, 5);
    shared.setInt(32, 1 << 20);
    assertEquals(INVALID_VALUE, graphs.setKernel(instance, kernel, shared));
    assertEquals(
        INVALID_VALUE, graphs.setMemset(instance, memset, memsetParameters(host, 5, 4, 1)));
    for (Memory bad :
        List.of(
            memcpyParameters(UNIFIED, host, UNIFIED, memory, 8),
            memcpyParameters(UNIFIED, memory + 8, UNIFIED, host, 8),
            memcpyParameters(UNIFIED, memory + 8, HOST, host, 8))) {
      assertEquals(INVALID_VALUE, graphs.setMemcpy(instance, memcpy, bad));
    }
    assertEquals(3, simulator.misuses().size(), CudaGraphFaultTest::misuses);
    Memory beyond = memcpyParameters(UNIFIED, memory + 8, UNIFIED, memory, 4089);
    assertEquals(INVALID_VALUE, graphs.setMemcpy(instance, memcpy, beyond));
    graphs.run(instance, stream);
    assertArrayEquals(new int[] {1, 2, 1, 2}, read(memory, 4));
  }

  @Test
  void refusesObjectsOfAnotherContext() {
    simulator.devices(2);
    long graph = graphs.graph();
    long node = graphs.kernel(graph, kernelParameters(fill, 1, memory, 1));
    long instance = graphs.instance(graph);
    long other = cuda.make("cuDevicePrimaryCtxRetain", 1);
    cuda.ok("cuCtxPushCurrent_v2", other);
    long there = cuda.make("cuMemAlloc_v2", 64L);
    long far = cuda.function(kernels.image(), "fill");
    Memory parameters = kernelParameters(far, 1, there, 1);
    assertEquals(INVALID_VALUE, addKernel(graph, parameters));
    assertEquals(INVALID_VALUE, graphs.setKernel(instance, node, parameters));
    assertEquals(400, cuda.code("cuGraphLaunch", instance, cuda.stream()));
    cuda.ok("cuCtxPopCurrent_v2", Pointer.NULL);
    assertEquals(400, addKernel(graph, parameters));
    assertEquals(400, graphs.setKernel(instance, node, parameters));
    assertEquals(5, simulator.misuses().size(), CudaGraphFaultTest::misuses);
    long memset = graphs.memset(graph, memsetParameters(memory, 1, 1, 1));
    long both = graphs.instance(graph);
    assertEquals(INVALID_VALUE, graphs.setMemset(both, memset, memsetParameters(there, 1, 1, 1)));
  }

  @Test
  void aModuleStaysUntilNoNodeHasItsFunctions() {
    long module = cuda.make("cuFuncGetModule", fill);
    long graph = graphs.graph();
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
    long instance = graphs.instance(graph);
    cuda.ok("cuGraphDestroy", graph);
    cuda.ok("cuModuleUnload", module);
    assertTrue(misuses().contains("1 nodes of graphs"), CudaGraphFaultTest::misuses);
    assertEquals(400, cuda.code("cuGraphLaunch", instance, stream));
    assertTrue(misuses().contains("the module of fill was unloaded"), CudaGraphFaultTest::misuses);
    cuda.ok("cuGraphExecDestroy", instance);
    int before = simulator.misuses().size();
    fill = cuda.function(kernels.image(), "fill");
    graph = graphs.graph();
    long node = graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
    instance = graphs.instance(graph);
    long other = cuda.function(kernels.image(), "fill");
    assertEquals(0, graphs.setKernel(instance, node, kernelParameters(other, 1, memory, 5)));
    cuda.ok("cuGraphDestroy", graph);
    cuda.ok("cuModuleUnload", cuda.make("cuFuncGetModule", fill));
    graphs.run(instance, stream);
    assertEquals(5, read(memory));
    cuda.ok("cuGraphExecDestroy", instance);
    cuda.ok("cuModuleUnload", cuda.make("cuFuncGetModule", other));
    assertEquals(before, simulator.misuses().size(), CudaGraphFaultTest::misuses);
  }

  @Test
  void aModuleIsNotUnloadedUnderALaunch() {
    long graph = graphs.graph();
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
    long instance = graphs.instance(graph);
    simulator.pause(0, stream);
    cuda.ok("cuGraphLaunch", instance, stream);
    cuda.ok("cuGraphExecDestroy", instance);
    cuda.ok("cuGraphDestroy", graph);
    cuda.ok("cuModuleUnload", cuda.make("cuFuncGetModule", fill));
    assertTrue(misuses().contains("1 launches of the module's"), CudaGraphFaultTest::misuses);
  }

  @Test
  void findsUseAfterFreeWhenANodeRuns() {
    for (boolean kernel : new boolean[] {true, false}) {
      simulator.reset();
      context = cuda.start();
      prepare();
      long graph = graphs.graph();
      if (kernel) {
        graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
      } else {
        graphs.memset(graph, memsetParameters(memory, 4, 4, 1));
      }
      long instance = graphs.instance(graph);
      cuda.ok("cuMemFree_v2", memory);
      cuda.ok("cuGraphLaunch", instance, stream);
      assertEquals(700, cuda.code("cuStreamSynchronize", stream));
      assertEquals(1, simulator.misuses().size(), CudaGraphFaultTest::misuses);
      assertTrue(misuses().startsWith("cuGraphLaunch: "), CudaGraphFaultTest::misuses);
      assertEquals(700, cuda.code("cuGraphExecDestroy", instance));
      assertEquals(700, cuda.code("cuGraphDestroy", graph));
      assertEquals(Set.of("context", "stream", "module"), live());
    }
  }

  @Test
  void nodesFailUnderTheNamesOfTheirKinds() {
    for (String name : List.of("@kernel", "@fill", "@copy", "@graph", "@work")) {
      simulator.reset();
      context = cuda.start();
      prepare();
      long graph = graphs.graph();
      long memset = graphs.memset(graph, memsetParameters(memory, 4, 4, 1));
      long kernel = graphs.kernel(graph, kernelParameters(fill, 1, memory + 4, 4), memset);
      Memory copy = memcpyParameters(DEVICE, memory + 8, DEVICE, memory, 8);
      graphs.memcpy(graph, copy, kernel);
      long instance = graphs.instance(graph);
      simulator.fail(name, 2, 719);
      cuda.ok("cuGraphLaunch", instance, stream);
      assertEquals(name.equals("@work") ? 719 : 0, cuda.code("cuStreamSynchronize", stream), name);
      assertEquals(name.equals("@work") ? 719 : 0, cuda.code("cuGraphLaunch", instance, stream));
      assertEquals(719, cuda.code("cuStreamSynchronize", stream), name);
      assertEquals(719, cuda.code("cuGraphLaunch", instance, stream), name);
    }
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void reportsALackOfMemoryAtInstantiation() {
    long graph = graphs.graph();
    simulator.fail("cuGraphInstantiateWithFlags", 2, 2);
    graphs.instance(graph);
    assertEquals(2, cuda.code("cuGraphInstantiateWithFlags", new long[1], graph, 0L));
    graphs.instance(graph);
    assertEquals(2L, simulator.live().get("graph exec"));
  }
}
