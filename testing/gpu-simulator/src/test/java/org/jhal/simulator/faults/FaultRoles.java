// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.faults;

import static org.jhal.simulator.fixture.NativeCall.ALLOCATE;
import static org.jhal.simulator.fixture.NativeCall.BIND;
import static org.jhal.simulator.fixture.NativeCall.CONTEXT_RELEASE;
import static org.jhal.simulator.fixture.NativeCall.CONTEXT_RETAIN;
import static org.jhal.simulator.fixture.NativeCall.COPY;
import static org.jhal.simulator.fixture.NativeCall.COPY_ANY;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_DEVICE;
import static org.jhal.simulator.fixture.NativeCall.COPY_TO_HOST;
import static org.jhal.simulator.fixture.NativeCall.EVENT_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.EVENT_QUERY;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.jhal.simulator.fixture.NativeCall.EVENT_SYNCHRONIZE;
import static org.jhal.simulator.fixture.NativeCall.FILL_BYTES;
import static org.jhal.simulator.fixture.NativeCall.FREE;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_COPY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_FILL;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_CREATE;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_INSTANTIATE;
import static org.jhal.simulator.fixture.NativeCall.HOST_ALLOCATE;
import static org.jhal.simulator.fixture.NativeCall.HOST_FREE;
import static org.jhal.simulator.fixture.NativeCall.HOST_REGISTER;
import static org.jhal.simulator.fixture.NativeCall.HOST_UNREGISTER;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_COPY;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_FILL;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_UPLOAD;
import static org.jhal.simulator.fixture.NativeCall.LAUNCH_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.MODULE_LOAD;
import static org.jhal.simulator.fixture.NativeCall.MODULE_UNLOAD;
import static org.jhal.simulator.fixture.NativeCall.PEER_ENABLE;
import static org.jhal.simulator.fixture.NativeCall.PEER_QUERY;
import static org.jhal.simulator.fixture.NativeCall.POINTER_ATTRIBUTES;
import static org.jhal.simulator.fixture.NativeCall.POOL_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.POOL_ENABLE;
import static org.jhal.simulator.fixture.NativeCall.REBIND;
import static org.jhal.simulator.fixture.NativeCall.STREAM_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.STREAM_SYNCHRONIZE;
import static org.jhal.simulator.fixture.NativeCall.STREAM_WAIT_EVENT;
import static org.jhal.simulator.fixture.NativeCall.UNBIND;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedGpu;

/** What it means in a {@link GpuFaultTest} that a native function fails. */
final class FaultRoles {
  private final SimulatedGpu gpu;

  FaultRoles(SimulatedGpu gpu) {
    this.gpu = gpu;
  }

  /**
   * Whether a function is called on threads that may have no current device, such as to make one
   * current: a sticky failure then affects all devices.
   */
  boolean isBinding(String function) {
    return isOneOf(function, Set.of(BIND, CONTEXT_RETAIN))
        || (gpu.keepsContexts() && isOneOf(function, Set.of(REBIND)));
  }

  /** Whether a failure of a function may lose the device, sticky or not (rule Q7a). */
  boolean isLosing(String function) {
    return isOneOf(
        function,
        Set.of(
            BIND, UNBIND, REBIND, EVENT_QUERY, EVENT_RECORD, EVENT_SYNCHRONIZE, STREAM_WAIT_EVENT));
  }

  /** Whether a function gives an object back, which stays if it fails. */
  boolean isGivingBack(String function) {
    return isOneOf(
            function,
            Set.of(
                CONTEXT_RELEASE,
                EVENT_DESTROY,
                FREE,
                GRAPH_DESTROY,
                HOST_FREE,
                HOST_UNREGISTER,
                INSTANCE_DESTROY,
                MODULE_UNLOAD,
                POOL_DESTROY,
                STREAM_DESTROY))
        // Where no context ends with what is in it, what cannot be bound gives nothing back either.
        || (gpu.keepsContexts() && isOneOf(function, Set.of(BIND, REBIND)));
  }

  /**
   * Whether a function frees memory in stream order, or waits for that: if it fails, a pool ends
   * before its memory, which native runtimes allow.
   */
  boolean isFreeing(String function) {
    return isOneOf(function, Set.of(FREE, STREAM_SYNCHRONIZE));
  }

  /** Whether a function ends a device's context with all its objects. */
  boolean endsContext(String function) {
    return isOneOf(function, Set.of(CONTEXT_RELEASE));
  }

  boolean endsPool(String function) {
    return isOneOf(function, Set.of(POOL_DESTROY));
  }

  /** Whether a function is called repeatedly, so that a few positions are enough. */
  boolean isPolled(String function) {
    return isOneOf(function, Set.of(BIND, UNBIND, EVENT_QUERY));
  }

  private boolean isOneOf(String function, Set<NativeCall> calls) {
    return calls.stream()
        .flatMap(call -> gpu.find(call).stream())
        .anyMatch(name -> GpuFault.shortName(name).equals(GpuFault.shortName(function)));
  }

  /** The functions that the workload must use. */
  Set<String> needed() {
    Set<NativeCall> needed =
        EnumSet.of(
            ALLOCATE,
            COPY,
            COPY_ANY,
            COPY_TO_DEVICE,
            COPY_TO_HOST,
            FILL_BYTES,
            FREE,
            GRAPH_ADD_COPY,
            GRAPH_ADD_FILL,
            GRAPH_ADD_KERNEL,
            GRAPH_CREATE,
            GRAPH_INSTANTIATE,
            HOST_ALLOCATE,
            HOST_REGISTER,
            INSTANCE_LAUNCH,
            INSTANCE_UPLOAD,
            LAUNCH_KERNEL,
            MODULE_LOAD,
            PEER_ENABLE,
            PEER_QUERY,
            POINTER_ATTRIBUTES,
            POOL_ENABLE,
            STREAM_WAIT_EVENT);
    if (gpu.setsNodesInFlight()) {
      needed.addAll(Set.of(INSTANCE_SET_COPY, INSTANCE_SET_FILL, INSTANCE_SET_KERNEL));
    }
    return needed.stream()
        .flatMap(call -> gpu.find(call).stream())
        .collect(Collectors.toUnmodifiableSet());
  }
}
