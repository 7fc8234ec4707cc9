// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jhal.cts.CtsBackend;
import org.jhal.cuda.sim.SimulatedCuda;
import org.jhal.gpu.GpuDriver;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.CollectiveFace;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedGpu;

/** The driver over the simulated driver API. */
public final class CudaOnSimulator implements SimulatedGpu {
  private static final Map<NativeCall, String> NAMES =
      Map.ofEntries(
          Map.entry(NativeCall.BIND, "cuCtxPushCurrent_v2"),
          Map.entry(NativeCall.UNBIND, "cuCtxPopCurrent_v2"),
          Map.entry(NativeCall.REBIND, "cuCtxSetCurrent"),
          Map.entry(NativeCall.CONTEXT_RETAIN, "cuDevicePrimaryCtxRetain"),
          Map.entry(NativeCall.CONTEXT_RELEASE, "cuDevicePrimaryCtxRelease_v2"),
          Map.entry(NativeCall.DEVICE_MEMORY, "cuDeviceTotalMem_v2"),
          Map.entry(NativeCall.PEER_QUERY, "cuDeviceCanAccessPeer"),
          Map.entry(NativeCall.PEER_ENABLE, "cuCtxEnablePeerAccess"),
          Map.entry(NativeCall.ALLOCATE, "cuMemAllocFromPoolAsync"),
          Map.entry(NativeCall.FREE, "cuMemFreeAsync"),
          Map.entry(NativeCall.POOL_ENABLE, "cuMemPoolSetAccess"),
          Map.entry(NativeCall.POOL_DESTROY, "cuMemPoolDestroy"),
          Map.entry(NativeCall.HOST_ALLOCATE, "cuMemHostAlloc"),
          Map.entry(NativeCall.HOST_FREE, "cuMemFreeHost"),
          Map.entry(NativeCall.HOST_REGISTER, "cuMemHostRegister_v2"),
          Map.entry(NativeCall.HOST_UNREGISTER, "cuMemHostUnregister"),
          Map.entry(NativeCall.POINTER_ATTRIBUTES, "cuPointerGetAttributes"),
          Map.entry(NativeCall.STREAM_CREATE, "cuStreamCreate"),
          Map.entry(NativeCall.STREAM_DESTROY, "cuStreamDestroy_v2"),
          Map.entry(NativeCall.STREAM_QUERY, "cuStreamQuery"),
          Map.entry(NativeCall.STREAM_SYNCHRONIZE, "cuStreamSynchronize"),
          Map.entry(NativeCall.STREAM_WAIT_EVENT, "cuStreamWaitEvent"),
          Map.entry(NativeCall.EVENT_RECORD, "cuEventRecord"),
          Map.entry(NativeCall.EVENT_QUERY, "cuEventQuery"),
          Map.entry(NativeCall.EVENT_SYNCHRONIZE, "cuEventSynchronize"),
          Map.entry(NativeCall.EVENT_ELAPSED, "cuEventElapsedTime"),
          Map.entry(NativeCall.EVENT_DESTROY, "cuEventDestroy_v2"),
          Map.entry(NativeCall.FILL_BYTES, "cuMemsetD8Async"),
          Map.entry(NativeCall.COPY, "cuMemcpyDtoDAsync_v2"),
          Map.entry(NativeCall.COPY_ANY, "cuMemcpyAsync"),
          Map.entry(NativeCall.COPY_TO_DEVICE, "cuMemcpyHtoDAsync_v2"),
          Map.entry(NativeCall.COPY_TO_HOST, "cuMemcpyDtoHAsync_v2"),
          Map.entry(NativeCall.MODULE_LOAD, "cuModuleLoadDataEx"),
          Map.entry(NativeCall.MODULE_UNLOAD, "cuModuleUnload"),
          Map.entry(NativeCall.LAUNCH_KERNEL, "cuLaunchKernel"),
          Map.entry(NativeCall.GRAPH_CREATE, "cuGraphCreate"),
          Map.entry(NativeCall.GRAPH_ADD_KERNEL, "cuGraphAddKernelNode_v2"),
          Map.entry(NativeCall.GRAPH_ADD_FILL, "cuGraphAddMemsetNode"),
          Map.entry(NativeCall.GRAPH_ADD_COPY, "cuGraphAddMemcpyNode"),
          Map.entry(NativeCall.GRAPH_INSTANTIATE, "cuGraphInstantiateWithFlags"),
          Map.entry(NativeCall.GRAPH_DESTROY, "cuGraphDestroy"),
          Map.entry(NativeCall.INSTANCE_UPLOAD, "cuGraphUpload"),
          Map.entry(NativeCall.INSTANCE_LAUNCH, "cuGraphLaunch"),
          Map.entry(NativeCall.INSTANCE_SET_KERNEL, "cuGraphExecKernelNodeSetParams_v2"),
          Map.entry(NativeCall.INSTANCE_SET_FILL, "cuGraphExecMemsetNodeSetParams"),
          Map.entry(NativeCall.INSTANCE_SET_COPY, "cuGraphExecMemcpyNodeSetParams"),
          Map.entry(NativeCall.INSTANCE_DESTROY, "cuGraphExecDestroy"),
          Map.entry(NativeCall.CAPTURE_BEGIN, "cuStreamBeginCapture_v2"),
          Map.entry(NativeCall.CAPTURE_END, "cuStreamEndCapture"));

  /** NVTX: the structure as nvToolsExt.h declares it. */
  private static final String NVTX =
      """
      struct attributes {
        uint16_t version, size;
        uint32_t category;
        int32_t colorType;
        uint32_t color;
        int32_t payloadType, reserved0;
        union { uint64_t value; double number; } payload;
        int32_t messageType;
        union { const char* ascii; const void* other; } message;
      };
      static const char* domain; // one for all devices
      void* nvtxDomainCreateA(const char* name) {
        domain = domain || strcmp(name, "jhal") ? "wrong" : "jhal";
        return &domain;
      }
      uint64_t nvtxDomainRangeStartEx(void* of, const struct attributes* a) {
        if (of != &domain || strcmp(domain, "jhal") || a->version != 2 || a->size != sizeof *a || a->messageType != 1)
          return begin("wrong");
        return begin(a->message.ascii);
      }
      void nvtxDomainRangeEnd(void* of, uint64_t range) {
        if (of == &domain) over(range);
      }
      """;

  /** For the service loader. */
  public CudaOnSimulator() {}

  @Override
  public GpuDriver driver() {
    return new CudaDriver();
  }

  @Override
  public Optional<String> unavailable() {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      if (library.unavailable().isPresent()) {
        return library.unavailable();
      }
    }
    String used = System.getProperty(CudaDriver.WANTED.property(), "");
    return SimulatedCuda.library().path().toString().equals(used)
        ? Optional.empty()
        : Optional.of("the tests run on another library than the simulated one");
  }

  @Override
  public SimulatedLibrary collectives(int version) {
    return SimulatedCuda.collectives(version);
  }

  @Override
  public CtsBackend backend() {
    return new CudaCtsBackend();
  }

  @Override
  public Optional<String> find(NativeCall call) {
    return Optional.ofNullable(NAMES.get(call));
  }

  @Override
  public boolean setsNodesInFlight() {
    return true;
  }

  @Override
  public String architecture() {
    return "sm_90";
  }

  @Override
  public String binding() {
    return "jcuda";
  }

  @Override
  public String compiler() {
    return "nvrtc";
  }

  @Override
  public String foreignCompiler() {
    return "hiprtc";
  }

  @Override
  public String collectives() {
    return "NCCL";
  }

  @Override
  public List<Integer> collectiveVersions() {
    return List.of(SimulatedLibrary.NEWEST_COLLECTIVES, 21800, 21300);
  }

  @Override
  public CollectiveFace collectiveFace() {
    return new CudaCollectiveFace();
  }

  @Override
  public List<String> blockingVariables() {
    return List.of("CUDA_LAUNCH_BLOCKING");
  }

  @Override
  public Ranges ranges() {
    return new Ranges("nvtx", NVTX, "");
  }

  @Override
  public Simulator simulator() {
    return Simulator.in(SimulatedCuda.library().path());
  }
}
