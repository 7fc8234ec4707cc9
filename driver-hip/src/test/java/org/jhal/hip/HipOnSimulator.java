// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jhal.cts.CtsBackend;
import org.jhal.gpu.GpuDriver;
import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.CollectiveFace;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedGpu;

/** The driver over the stand-in for the HIP runtime. */
public final class HipOnSimulator implements SimulatedGpu {
  private static final Map<NativeCall, String> NAMES =
      Map.ofEntries(
          Map.entry(NativeCall.BIND, "hipGetDevice"),
          Map.entry(NativeCall.UNBIND, "hipSetDevice"),
          Map.entry(NativeCall.REBIND, "hipSetDevice"),
          Map.entry(NativeCall.DEVICE_MEMORY, "hipDeviceTotalMem"),
          Map.entry(NativeCall.PEER_QUERY, "hipDeviceCanAccessPeer"),
          Map.entry(NativeCall.PEER_ENABLE, "hipDeviceEnablePeerAccess"),
          Map.entry(NativeCall.ALLOCATE, "hipMallocFromPoolAsync"),
          Map.entry(NativeCall.FREE, "hipFreeAsync"),
          Map.entry(NativeCall.POOL_ENABLE, "hipMemPoolSetAccess"),
          Map.entry(NativeCall.POOL_DESTROY, "hipMemPoolDestroy"),
          Map.entry(NativeCall.HOST_ALLOCATE, "hipHostMalloc"),
          Map.entry(NativeCall.HOST_FREE, "hipHostFree"),
          Map.entry(NativeCall.HOST_REGISTER, "hipHostRegister"),
          Map.entry(NativeCall.HOST_UNREGISTER, "hipHostUnregister"),
          Map.entry(NativeCall.STREAM_CREATE, "hipStreamCreateWithFlags"),
          Map.entry(NativeCall.STREAM_DESTROY, "hipStreamDestroy"),
          Map.entry(NativeCall.STREAM_QUERY, "hipStreamQuery"),
          Map.entry(NativeCall.STREAM_SYNCHRONIZE, "hipStreamSynchronize"),
          Map.entry(NativeCall.STREAM_WAIT_EVENT, "hipStreamWaitEvent"),
          Map.entry(NativeCall.EVENT_RECORD, "hipEventRecord"),
          Map.entry(NativeCall.EVENT_QUERY, "hipEventQuery"),
          Map.entry(NativeCall.EVENT_SYNCHRONIZE, "hipEventSynchronize"),
          Map.entry(NativeCall.EVENT_ELAPSED, "hipEventElapsedTime"),
          Map.entry(NativeCall.EVENT_DESTROY, "hipEventDestroy"),
          Map.entry(NativeCall.FILL_BYTES, "hipMemsetD8Async"),
          Map.entry(NativeCall.COPY, "hipMemcpyDtoDAsync"),
          Map.entry(NativeCall.COPY_ANY, "hipMemcpyAsync"),
          Map.entry(NativeCall.COPY_TO_DEVICE, "hipMemcpyHtoDAsync"),
          Map.entry(NativeCall.COPY_TO_HOST, "hipMemcpyDtoHAsync"),
          Map.entry(NativeCall.MODULE_LOAD, "hipModuleLoadData"),
          Map.entry(NativeCall.MODULE_UNLOAD, "hipModuleUnload"),
          Map.entry(NativeCall.LAUNCH_KERNEL, "hipModuleLaunchKernel"),
          Map.entry(NativeCall.GRAPH_CREATE, "hipGraphCreate"),
          Map.entry(NativeCall.GRAPH_ADD_KERNEL, "hipGraphAddKernelNode"),
          Map.entry(NativeCall.GRAPH_ADD_FILL, "hipGraphAddMemsetNode"),
          Map.entry(NativeCall.GRAPH_ADD_COPY, "hipGraphAddMemcpyNode1D"),
          Map.entry(NativeCall.GRAPH_INSTANTIATE, "hipGraphInstantiateWithFlags"),
          Map.entry(NativeCall.GRAPH_DESTROY, "hipGraphDestroy"),
          Map.entry(NativeCall.INSTANCE_UPLOAD, "hipGraphUpload"),
          Map.entry(NativeCall.INSTANCE_LAUNCH, "hipGraphLaunch"),
          Map.entry(NativeCall.INSTANCE_SET_KERNEL, "hipGraphExecKernelNodeSetParams"),
          Map.entry(NativeCall.INSTANCE_SET_FILL, "hipGraphExecMemsetNodeSetParams"),
          Map.entry(NativeCall.INSTANCE_SET_COPY, "hipGraphExecMemcpyNodeSetParams1D"),
          Map.entry(NativeCall.INSTANCE_DESTROY, "hipGraphExecDestroy"),
          Map.entry(NativeCall.CAPTURE_BEGIN, "hipStreamBeginCapture"),
          Map.entry(NativeCall.CAPTURE_END, "hipStreamEndCapture"));

  private static final String ROCTX =
      """
      uint64_t roctxRangeStartA(const char* message) { return begin(message); }
      void roctxRangeStop(uint64_t range) { over(range); }
      """;

  /** For the service loader. */
  public HipOnSimulator() {}

  @Override
  public GpuDriver driver() {
    return new HipDriver();
  }

  @Override
  public Optional<String> unavailable() {
    return StandIn.chosen().unavailable();
  }

  @Override
  public SimulatedLibrary collectives(int version) {
    return StandIn.chosen().collectives(version);
  }

  @Override
  public CtsBackend backend() {
    return new HipCtsBackend();
  }

  @Override
  public Optional<String> find(NativeCall call) {
    return Optional.ofNullable(NAMES.get(call));
  }

  @Override
  public boolean setsNodesInFlight() {
    return false;
  }

  @Override
  public String architecture() {
    return "gfx90a";
  }

  @Override
  public String binding() {
    return "jna";
  }

  @Override
  public String compiler() {
    return "hiprtc";
  }

  @Override
  public String foreignCompiler() {
    return "nvrtc";
  }

  @Override
  public String collectives() {
    return "RCCL";
  }

  @Override
  public List<Integer> collectiveVersions() {
    return List.of(SimulatedLibrary.NEWEST_COLLECTIVES);
  }

  @Override
  public CollectiveFace collectiveFace() {
    return new HipCollectiveFace();
  }

  @Override
  public List<String> blockingVariables() {
    return List.of("HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "CUDA_LAUNCH_BLOCKING");
  }

  @Override
  public Ranges ranges() {
    return new Ranges("roctx", ROCTX, "jhal: ");
  }

  @Override
  public Simulator simulator() {
    return StandIn.chosen().simulator();
  }

  @Override
  public void reset() {
    StandIn.chosen().reset();
  }
}
