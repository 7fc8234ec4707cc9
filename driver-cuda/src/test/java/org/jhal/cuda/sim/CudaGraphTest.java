package org.jhal.cuda.sim;

import static org.jhal.cuda.sim.CudaGraphCalls.DEVICE;
import static org.jhal.cuda.sim.CudaGraphCalls.HOST;
import static org.jhal.cuda.sim.CudaGraphCalls.UNIFIED;
import static org.jhal.cuda.sim.CudaGraphCalls.kernelParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.kernelShape;
import static org.jhal.cuda.sim.CudaGraphCalls.memcpyParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.memsetParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.packedParameters;
import static org.jhal.cuda.sim.CudaGraphCalls.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Graphs of the simulated driver library. */
class CudaGraphTest extends OnSimulatedCuda {
  private static final int INVALID_VALUE = 1;

  private CudaGraphCalls graphs;
  private long stream;
  private long memory;
  private long fill;

  @BeforeEach
  void prepare() {
    graphs = new CudaGraphCalls(cuda, context);
    stream = cuda.stream();
    memory = cuda.make("cuMemAlloc_v2", 4096L);
    fill = cuda.function(kernels.image(), "fill");
  }

  private static int[] read(long address, int count) {
    int[] values = new int[count];
    cuda.ok("cuMemcpyDtoH_v2", values, address, 4L * count);
    return values;
  }

  private static int read(long address) {
    return read(address, 1)[0];
  }

  private static String misuses() {
    return String.join("\n", simulator.misuses());
  }

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
  void anInstanceIsTheGraphAsItWas() {
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
  void settingANodeIsForLaterLaunches() {
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
  void launchesOfOneInstanceRunOneAfterTheOther() {
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

  /** Each launch reads a count and writes one more in its end, which others in between would lose. */
  @Test
  void launchesOfOneInstanceDoNotOverlap() {
    long one = memory + 64;
    long count = memory + 128;
    long next = memory + 192;
    cuda.ok("cuMemsetD32_v2", one, Float.floatToIntBits(1), 1L);
    cuda.ok("cuMemsetD32_v2", count, 0, 1L);
    long saxpy = cuda.function(kernels.image(), "saxpy");
    long graph = graphs.graph();
    long read = graphs.memcpy(graph, memcpyParameters(DEVICE, next, DEVICE, count, 4));
    long add = graphs.kernel(graph, kernelParameters(saxpy, 1, 1, 1f, one, next), read);
    graphs.memcpy(graph, memcpyParameters(DEVICE, count, DEVICE, next, 4), add);
    long instance = graphs.instance(graph);
    long[] streams = {stream, cuda.stream(), cuda.stream()};
    simulator.pause(0, 0);
    for (int i = 0; i < 300; i++) {
      cuda.ok("cuGraphLaunch", instance, streams[i % 3]);
    }
    simulator.resume(0, 0);
    for (long each : streams) {
      cuda.ok("cuStreamSynchronize", each);
    }
    assertEquals(300f, Float.intBitsToFloat(read(count)));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void nodesThatMakeNoSenseAreRefused() {
    long graph = graphs.graph();
    long other = graphs.graph();
    long node = graphs.memset(graph, memsetParameters(memory, 1, 1, 1));
    long foreign = graphs.memset(other, memsetParameters(memory, 1, 1, 1));
    Memory kernel = kernelParameters(fill, 1, memory, 1);
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, foreign));
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, node, node));
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, node, graph));
    assertEquals(INVALID_VALUE, addKernel(graph, kernel, node + 0x100000));
    assertEquals(4, simulator.misuses().size(), CudaGraphTest::misuses);
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
    assertTrue(misuses().contains("of 64 bytes that was freed"), CudaGraphTest::misuses);
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
    assertTrue(misuses().contains("is a fill, not a kernel"), CudaGraphTest::misuses);
    assertEquals(400, graphs.setKernel(graph, kernel, other));
    assertEquals(3, simulator.misuses().size(), CudaGraphTest::misuses);
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
    assertEquals(3, simulator.misuses().size(), CudaGraphTest::misuses);
    Memory beyond = memcpyParameters(UNIFIED, memory + 8, UNIFIED, memory, 4089);
    assertEquals(INVALID_VALUE, graphs.setMemcpy(instance, memcpy, beyond));
    graphs.run(instance, stream);
    assertArrayEquals(new int[] {1, 2, 1, 2}, read(memory, 4));
  }

  @Test
  void whatIsOfAnotherContextIsRefused() {
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
    assertEquals(5, simulator.misuses().size(), CudaGraphTest::misuses);
    long memset = graphs.memset(graph, memsetParameters(memory, 1, 1, 1));
    long both = graphs.instance(graph);
    assertEquals(INVALID_VALUE, graphs.setMemset(both, memset, memsetParameters(there, 1, 1, 1)));
  }

  @Test
  void instancesAndGraphsAreGivenBack() {
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

  private static Set<String> live() {
    return simulator.live().keySet();
  }

  @Test
  void aModuleStaysUntilNoNodeHasItsFunctions() {
    long module = cuda.make("cuFuncGetModule", fill);
    long graph = graphs.graph();
    graphs.kernel(graph, kernelParameters(fill, 1, memory, 4));
    long instance = graphs.instance(graph);
    cuda.ok("cuGraphDestroy", graph);
    cuda.ok("cuModuleUnload", module);
    assertTrue(misuses().contains("1 nodes of graphs"), CudaGraphTest::misuses);
    assertEquals(400, cuda.code("cuGraphLaunch", instance, stream));
    assertTrue(misuses().contains("the module of fill was unloaded"), CudaGraphTest::misuses);
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
    assertEquals(before, simulator.misuses().size(), CudaGraphTest::misuses);
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
    assertTrue(misuses().contains("1 launches of the module's"), CudaGraphTest::misuses);
  }

  @Test
  void useAfterFreeIsFoundWhenANodeRuns() {
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
      assertEquals(1, simulator.misuses().size(), CudaGraphTest::misuses);
      assertTrue(misuses().startsWith("cuGraphLaunch: "), CudaGraphTest::misuses);
      assertEquals(700, cuda.code("cuGraphExecDestroy", instance));
      assertEquals(700, cuda.code("cuGraphDestroy", graph));
      assertEquals(Set.of("context", "stream", "module"), live());
    }
  }

  @Test
  void nodesFailUnderTheNamesOfWhatTheyAre() {
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
      assertEquals(
          name.equals("@work") ? 719 : 0, cuda.code("cuStreamSynchronize", stream), name);
      assertEquals(name.equals("@work") ? 719 : 0, cuda.code("cuGraphLaunch", instance, stream));
      assertEquals(719, cuda.code("cuStreamSynchronize", stream), name);
      assertEquals(719, cuda.code("cuGraphLaunch", instance, stream), name);
    }
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void whatIsShortAtInstantiationIsSaid() {
    long graph = graphs.graph();
    simulator.fail("cuGraphInstantiateWithFlags", 2, 2);
    graphs.instance(graph);
    assertEquals(2, cuda.code("cuGraphInstantiateWithFlags", new long[1], graph, 0L));
    graphs.instance(graph);
    assertEquals(2L, simulator.live().get("graph exec"));
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
