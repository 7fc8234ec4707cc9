// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import java.lang.System.Logger.Level;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jhal.CollectiveGroup;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.CollectiveCall;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Native graphs of the collectives that are repeated, one for each rank that takes part. What the
 * library would put into the streams is captured once. Launching it again takes no call of the
 * library, which for non-blocking communicators starts a thread at each launch.
 *
 * <p>The library's abort waits until no graph of its communicators is left.
 *
 * <p>For one thread at a time: the one that launches, and after the last launch the one that ends
 * the communicators.
 */
final class CollectiveGraphs {
  /** The launch of a call at which it is captured; the next one is the first of the graphs. */
  static final int REPEATED = 2;

  /** How many different calls are remembered, the latest ones. */
  static final int MOST = 128;

  private static final System.Logger LOG = System.getLogger(CollectiveGraphs.class.getName());

  /** A call that was launched, and its graphs if it was captured. */
  final class Repeated {
    private int launches;
    private boolean isCaptured;
    private final long[] instances = new long[devices.size()]; // by rank; 0 for one without a part

    private Repeated() {}

    /**
     * Launches the graph of a rank, unless it takes no part. Its device is bound.
     *
     * @throws HalException if the runtime refuses
     */
    void launch(int rank, long stream) {
      long instance = instances[rank];
      if (instance != 0) {
        runtime(rank).launch(instance, stream);
      }
    }
  }

  /** Frees a native object of a rank. */
  private interface Free {
    void free(GraphRuntime runtime, long handle);
  }

  private final List<GroupDevice> devices;
  private final Communicators.Binding binding;

  // By rank. An Error may leave any of them for destroy().
  private final long[] streams; // for captures alone; 0 until they are needed
  private final boolean[] isCapturing;
  private final long[] graphs; // captured, without an instance yet; else 0

  /** The least recently used first. Equal calls do the same on ranges with the same addresses. */
  private final Map<CollectiveCall, Repeated> calls = new LinkedHashMap<>(16, 0.75f, true);

  private CollectiveGraphs(List<GroupDevice> devices, Communicators.Binding binding) {
    this.devices = devices;
    this.binding = binding;
    this.streams = new long[devices.size()];
    this.isCapturing = new boolean[devices.size()];
    this.graphs = new long[devices.size()];
  }

  /** Graphs for a group of these devices, by rank; null if one of them uses none. */
  static @Nullable CollectiveGraphs of(List<GroupDevice> devices, Communicators.Binding binding) {
    boolean areUsed = devices.stream().allMatch(device -> device.graphs() != null);
    return areUsed ? new CollectiveGraphs(devices, binding) : null;
  }

  private GraphRuntime runtime(int rank) {
    return Objects.requireNonNull(devices.get(rank).graphs());
  }

  /** The graphs of a call; null if the library has to launch it. */
  @Nullable Repeated find(CollectiveCall call) {
    Repeated known = calls.get(call);
    return known != null && known.isCaptured ? known : null;
  }

  // Capturing.

  /** Counts a launch by the library. Returns whether to capture the call before that. */
  boolean count(CollectiveCall call) {
    Repeated known = calls.computeIfAbsent(call, unknown -> new Repeated());
    forgetOldest();
    known.launches++;
    return known.launches == REPEATED;
  }

  /**
   * Captures a call, which was {@linkplain #count counted}.
   *
   * @param put puts the parts of all ranks into these streams; returns null or the failure
   * @return the failure of {@code put}, or of rank 0's device if it is lost. If the runtime refuses
   *     a graph, null: the library launches the call, now and later.
   */
  @Nullable HalException capture(
      CollectiveCall call, Function<long[], @Nullable HalException> put) {
    Repeated known = Objects.requireNonNull(calls.get(call));
    HalException refusal = begin(call);
    if (refusal == null) {
      HalException failure = put.apply(streams.clone());
      if (failure != null) {
        return failure; // destroy() ends the captures, in which the library may still be at work
      }
    }
    HalException unfinished = endCaptures();
    refusal = refusal == null ? unfinished : refusal;
    refusal = refusal == null ? instantiate(known) : refusal;
    destroyGraphs(); // an instance keeps what it needs of its graph
    if (refusal == null) {
      known.isCaptured = true;
      return null;
    }
    destroy(known);
    LOG.log(Level.DEBUG, "a repeated " + call.kind().label() + " does not become a graph", refusal);
    return refusal.status() == Status.UNAVAILABLE ? refusal : null;
  }

  private void forgetOldest() {
    if (calls.size() > MOST) {
      Iterator<Repeated> oldest = calls.values().iterator();
      Repeated forgotten = oldest.next();
      oldest.remove();
      destroy(forgotten);
    }
  }

  private static boolean takesPart(CollectiveCall call, int rank) {
    return call.kind() != CollectiveGroup.Kind.SEND_RECEIVE
        || rank == call.root()
        || rank == call.receiver();
  }

  /** Begins a capture for each rank that takes part. Returns null or the failure. */
  private @Nullable HalException begin(CollectiveCall call) {
    try {
      for (int rank = 0; rank < devices.size(); rank++) {
        int own = rank;
        if (takesPart(call, own)) {
          binding.bound(own, true, () -> begin(own));
        }
      }
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  private void begin(int rank) {
    if (streams[rank] == 0) {
      streams[rank] = devices.get(rank).runtime().openStream();
    }
    runtime(rank).beginCapture(streams[rank]);
    isCapturing[rank] = true;
  }

  /** Ends all captures, even if some fail. Returns null or the first failure. */
  private @Nullable HalException endCaptures() {
    HalException first = null;
    for (int rank = 0; rank < devices.size(); rank++) {
      int own = rank;
      if (isCapturing[own]) {
        try {
          binding.bound(own, false, () -> graphs[own] = runtime(own).endCapture(streams[own]));
        } catch (HalException e) {
          first = first == null ? e : first;
        }
        isCapturing[own] = false;
      }
    }
    return first;
  }

  private @Nullable HalException instantiate(Repeated call) {
    try {
      for (int rank = 0; rank < devices.size(); rank++) {
        int own = rank;
        if (graphs[own] != 0) {
          binding.bound(
              own, true, () -> call.instances[own] = runtime(own).instantiate(graphs[own]));
        }
      }
      return null;
    } catch (HalException e) {
      return e;
    }
  }

  // The end.

  private void destroyGraphs() {
    free(graphs, GraphRuntime::destroy);
  }

  private void destroy(Repeated call) {
    free(call.instances, GraphRuntime::destroyInstance);
  }

  /** Frees what ranks have, and sets it to 0. */
  private void free(long[] handles, Free how) {
    for (int rank = 0; rank < handles.length; rank++) {
      int own = rank;
      long handle = handles[own];
      handles[own] = 0;
      if (handle != 0) {
        binding.bound(own, false, () -> how.free(runtime(own), handle));
      }
    }
  }

  /** Destroys all graphs, of which launches may still run. The library is not at work on any. */
  void destroy() {
    HalException failure = endCaptures();
    if (failure != null) {
      LOG.log(Level.DEBUG, "a capture of a collective has failed", failure);
    }
    destroyGraphs();
    calls.values().forEach(this::destroy);
    calls.clear();
  }

  /** Closes the streams that are not being captured; the library is not at work on any. */
  void closeStreams() {
    for (int rank = 0; rank < devices.size(); rank++) {
      int own = rank;
      long stream = streams[own];
      if (stream != 0 && !isCapturing[own]) {
        streams[own] = 0;
        binding.bound(own, false, () -> devices.get(own).runtime().closeStream(stream));
      }
    }
  }
}
