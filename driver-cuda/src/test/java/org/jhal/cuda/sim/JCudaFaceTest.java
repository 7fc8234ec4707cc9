// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jcuda.Pointer;
import jcuda.driver.CUDA_KERNEL_NODE_PARAMS;
import jcuda.driver.CUDA_MEMCPY3D;
import jcuda.driver.CUDA_MEMSET_NODE_PARAMS;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUmemorytype;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.NativeDeadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The simulated driver library, through JCuda, with the kernels of the conformance suite. */
class JCudaFaceTest {
  private static Simulator simulator;
  private static byte[] kernels;

  private final NativeDeadline deadline = new NativeDeadline();

  @BeforeAll
  static void build() throws IOException {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().get());
    }
    simulator = Simulator.in(SimulatedCuda.library().path());
    JCudaOnSimulator.load();
    String name = "/org/jhal/cts/kernels/kernels/kernels.cpp";
    try (InputStream in = JCudaFaceTest.class.getResourceAsStream(name)) {
      String source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      NvrtcCalls.Result result = new NvrtcCalls().compile(source, "kernels.cpp", "-arch=sm_90");
      assertEquals(0, result.code(), result.log());
      kernels = result.image();
    }
  }

  @BeforeEach
  void start() {
    simulator.reset();
    deadline.begin(simulator);
    ok(JCudaDriver.cuInit(0));
    CUcontext context = new CUcontext();
    ok(JCudaDriver.cuDevicePrimaryCtxRetain(context, new CUdevice()));
    ok(JCudaDriver.cuCtxSetCurrent(context));
  }

  @AfterEach
  void end() {
    deadline.end();
    List<String> misuses = simulator.misuses();
    simulator.reset();
    assertEquals(List.of(), misuses);
  }

  private static void ok(int code) {
    assertEquals(0, code);
  }

  private static CUstream stream() {
    CUstream stream = new CUstream();
    ok(JCudaDriver.cuStreamCreate(stream, 1));
    return stream;
  }

  private static CUfunction function(String name) {
    CUmodule module = new CUmodule();
    ok(
        JCudaDriver.cuModuleLoadDataEx(
            module, Pointer.to(kernels), 0, new int[0], Pointer.to(new int[0])));
    CUfunction function = new CUfunction();
    ok(JCudaDriver.cuModuleGetFunction(function, module, name));
    return function;
  }

  @Test
  void twoStreamsAndAnEventBetweenThem() {
    CUstream first = stream();
    CUstream second = stream();
    CUdeviceptr x = new CUdeviceptr();
    CUdeviceptr y = new CUdeviceptr();
    int n = 1000;
    ok(JCudaDriver.cuMemAlloc(x, 4L * n));
    ok(JCudaDriver.cuMemAllocAsync(y, 4L * n, second));
    CUevent event = new CUevent();
    ok(JCudaDriver.cuEventCreate(event, 3));
    ok(JCudaDriver.cuMemsetD32Async(x, 20, n, first));
    ok(JCudaDriver.cuEventRecord(event, first));
    ok(JCudaDriver.cuStreamWaitEvent(second, event, 0));
    Pointer arguments = Pointer.to(Pointer.to(x), Pointer.to(y));
    CUfunction twice = function("twice");
    ok(JCudaDriver.cuLaunchKernel(twice, n, 1, 1, 1, 1, 1, 0, second, arguments, null));
    int[] result = new int[n];
    ok(JCudaDriver.cuStreamSynchronize(second));
    ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(result), y, 4L * n));
    for (int value : result) {
      assertEquals(40, value);
    }
  }

  @Test
  void theThreadsOfABlockMeetAtABarrier() {
    CUstream stream = stream();
    int blocks = 5;
    int threads = 257;
    int[] data = new int[blocks * threads];
    for (int i = 0; i < data.length; i++) {
      data[i] = i;
    }
    CUdeviceptr memory = new CUdeviceptr();
    ok(JCudaDriver.cuMemAlloc(memory, 4L * data.length));
    ok(JCudaDriver.cuMemcpyHtoD(memory, Pointer.to(data), 4L * data.length));
    Pointer arguments = Pointer.to(Pointer.to(memory));
    ok(
        JCudaDriver.cuLaunchKernel(
            function("reverse"),
            blocks,
            1,
            1,
            threads,
            1,
            1,
            4 * threads,
            stream,
            arguments,
            null));
    ok(JCudaDriver.cuStreamSynchronize(stream));
    ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(data), memory, 4L * data.length));
    for (int i = 0; i < data.length; i++) {
      int block = i / threads;
      assertEquals(block * threads + threads - 1 - i % threads, data[i], "at " + i);
    }
  }

  @Test
  void aKernelSeesWritesOfTheHostBesideAnotherStream() {
    CUstream spinning = stream();
    CUstream other = stream();
    Pointer flags = new Pointer();
    ok(JCudaDriver.cuMemHostAlloc(flags, 8, 2));
    flags.getByteBuffer(0, 8).order(ByteOrder.nativeOrder()).asIntBuffer().put(0, 0).put(1, 0);
    CUdeviceptr device = new CUdeviceptr();
    ok(JCudaDriver.cuMemHostGetDevicePointer(device, flags, 0));
    Pointer arguments = Pointer.to(Pointer.to(device), Pointer.to(new long[] {Long.MAX_VALUE}));
    ok(
        JCudaDriver.cuLaunchKernel(
            function("spin"), 1, 1, 1, 1, 1, 1, 0, spinning, arguments, null));
    CUdeviceptr memory = new CUdeviceptr();
    ok(JCudaDriver.cuMemAllocAsync(memory, 64, other));
    ok(JCudaDriver.cuMemsetD8Async(memory, (byte) 1, 64, other));
    ok(JCudaDriver.cuStreamSynchronize(other));
    assertEquals(600, JCudaDriver.cuStreamQuery(spinning));
    var seen = flags.getByteBuffer(0, 8).order(ByteOrder.nativeOrder()).asIntBuffer();
    seen.put(0, 1);
    ok(JCudaDriver.cuStreamSynchronize(spinning));
    assertEquals(2, seen.get(1));
  }

  @Test
  void aHostFunctionRunsInTheStream() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(1);
    ok(JCudaDriver.cuLaunchHostFunc(stream(), data -> called.countDown(), null));
    assertTrue(called.await(20, TimeUnit.SECONDS), "the host function waits for its stream");
  }

  /** JCuda's library writes the structures as the vendor's header declares them. */
  @Test
  void aGraphOfAllKindsOfNodes() {
    int n = 4;
    CUdeviceptr x = new CUdeviceptr();
    ok(JCudaDriver.cuMemAlloc(x, 4L * n));
    CUdeviceptr y = new CUdeviceptr();
    ok(JCudaDriver.cuMemAlloc(y, 4L * n));
    CUcontext context = new CUcontext();
    ok(JCudaDriver.cuCtxGetCurrent(context));
    CUgraph graph = new CUgraph();
    ok(JCudaDriver.cuGraphCreate(graph, 0));
    CUDA_MEMSET_NODE_PARAMS fill = new CUDA_MEMSET_NODE_PARAMS();
    fill.dst = x;
    fill.value = 20;
    fill.elementSize = 4;
    fill.width = n;
    fill.height = 1;
    CUgraphNode first = new CUgraphNode();
    ok(JCudaDriver.cuGraphAddMemsetNode(first, graph, null, 0, fill, context));
    CUDA_KERNEL_NODE_PARAMS twice = new CUDA_KERNEL_NODE_PARAMS();
    twice.func = function("twice");
    twice.gridDimX = n;
    twice.gridDimY = twice.gridDimZ = 1;
    twice.blockDimX = twice.blockDimY = twice.blockDimZ = 1;
    twice.kernelParams = Pointer.to(Pointer.to(x), Pointer.to(y));
    CUgraphNode second = new CUgraphNode();
    ok(JCudaDriver.cuGraphAddKernelNode(second, graph, new CUgraphNode[] {first}, 1, twice));
    CUDA_MEMCPY3D copy = new CUDA_MEMCPY3D();
    copy.srcMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = y;
    copy.dstMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = x;
    copy.dstXInBytes = 4;
    copy.WidthInBytes = 8;
    copy.Height = copy.Depth = 1;
    CUgraphNode third = new CUgraphNode();
    ok(
        JCudaDriver.cuGraphAddMemcpyNode(
            third, graph, new CUgraphNode[] {second}, 1, copy, context));
    CUgraphExec instance = new CUgraphExec();
    ok(JCudaDriver.cuGraphInstantiate(instance, graph, 0));
    fill.value = 30;
    ok(JCudaDriver.cuGraphExecMemsetNodeSetParams(instance, first, fill, context));
    CUstream stream = stream();
    ok(JCudaDriver.cuGraphUpload(instance, stream));
    ok(JCudaDriver.cuGraphLaunch(instance, stream));
    ok(JCudaDriver.cuStreamSynchronize(stream));
    int[] result = new int[n];
    ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(result), x, 4L * n));
    assertArrayEquals(new int[] {30, 60, 60, 30}, result);
    ok(JCudaDriver.cuGraphExecDestroy(instance));
    ok(JCudaDriver.cuGraphDestroy(graph));
  }

  @Test
  void returnsNotSupportedForMissingFunctions() {
    assertEquals(801, JCudaDriver.cuGraphClone(new CUgraph(), new CUgraph()));
    assertEquals(1L, simulator.calls().get("cuGraphClone"));
  }
}
