// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.google.common.util.concurrent.Uninterruptibles;
import com.sun.jna.Memory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.CollectiveCall;
import org.jhal.driver.support.BackOff;
import org.jhal.driver.support.EngineThread;
import org.jhal.gpu.collective.NonBlockingFunctions.UniqueId;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * The communicators of the ranks of a group, made together. With non-blocking communicators, long
 * work continues behind the calls and is polled until it is over or the caller reports that it is
 * late. Otherwise the calls themselves may hang.
 *
 * <p>For one thread at a time; any thread may call {@link #failure} while no other call is made.
 */
final class Communicators {
  /** Makes calls with a rank's device bound. */
  interface Binding {
    /**
     * Calls {@code body}.
     *
     * @param isNeeded whether to throw if the device cannot be bound; else {@code body} runs
     *     without it
     */
    void bound(int rank, boolean isNeeded, Runnable body);
  }

  /** How long a launch is polled without a pause: most are over by then. */
  private static final long SPIN_NANOS = 200_000;

  private final CollectiveLibrary library;
  private final Binding binding;
  private final long[] handles;

  /** Keeps alive the memory that the library writes to; null if the calls block. */
  private final @Nullable Memory written;

  /** For repeated calls; null if there are none. */
  private final @Nullable CollectiveGraphs graphs;

  /**
   * Whether a thread has begun something and did not {@link #complete} it. No other thread can, so
   * the communicators can only be aborted, although they may report no failure.
   */
  private boolean isIncomplete;

  private Communicators(
      CollectiveLibrary library,
      Binding binding,
      long[] handles,
      @Nullable Memory written,
      @Nullable CollectiveGraphs graphs) {
    this.library = library;
    this.binding = binding;
    this.handles = handles;
    this.written = written;
    this.graphs = graphs;
  }

  /**
   * Makes communicators. Blocks.
   *
   * @param ordinals of the devices, all different
   * @param graphs for repeated calls; null if there are none, as with calls that block
   * @param isLate whether to give up
   * @throws HalException if the library refuses; DEADLINE_EXCEEDED if it is late
   */
  static Communicators create(
      CollectiveLibrary library,
      int[] ordinals,
      Binding binding,
      @Nullable CollectiveGraphs graphs,
      BooleanSupplier isLate) {
    NonBlockingFunctions calls = library.nonBlocking();
    if (calls == null) {
      long[][] made = new long[1][];
      binding.bound(0, true, () -> made[0] = library.create(ordinals));
      return new Communicators(library, binding, made[0], null, null);
    }
    UniqueId id = new UniqueId();
    library.check("ncclGetUniqueId", calls.getUniqueId(id));
    int count = ordinals.length;
    Memory written = new Memory(8L * count);
    written.clear();
    HalException failure =
        grouped(
            library,
            binding,
            true, // it makes that of the bound device
            count,
            rank ->
                library.failureUnlessBegun(
                    "ncclCommInitRankConfig",
                    calls.initRank(written.share(8L * rank, 8), count, id, rank)));
    Communicators made =
        new Communicators(library, binding, written.getLongArray(0, count), written, graphs);
    if (failure == null) {
      failure = made.complete("ncclCommInitRankConfig", Long.MAX_VALUE, isLate);
    }
    if (failure != null) {
      try {
        made.abort();
      } catch (HalException e) {
        failure.addSuppressed(e);
      }
      throw failure;
    }
    return made;
  }

  /**
   * Makes a call for each rank with its device bound, within one group, until one fails. The
   * library restores the current device.
   */
  private static @Nullable HalException grouped(
      CollectiveLibrary library,
      Binding binding,
      boolean isNeeded,
      int ranks,
      IntFunction<@Nullable HalException> call) {
    HalException[] failure = new HalException[1];
    try {
      binding.bound(
          0,
          isNeeded,
          () ->
              failure[0] =
                  library.grouped(
                      () -> {
                        HalException[] first = new HalException[1];
                        for (int rank = 0; rank < ranks && first[0] == null; rank++) {
                          int own = rank;
                          binding.bound(own, isNeeded, () -> first[0] = call.apply(own));
                        }
                        return first[0];
                      }));
    } catch (HalException e) { // a device cannot be bound
      return e;
    }
    return failure[0];
  }

  private @Nullable HalException grouped(IntFunction<@Nullable HalException> call) {
    return grouped(library, binding, false, handles.length, call);
  }

  /**
   * Waits until nothing is under way. Returns null, or the failure, which may be that it is late.
   *
   * @param limit the time limit in nanoseconds
   * @param isLate whether it is late before that
   */
  private @Nullable HalException awaitReady(String call, long limit, BooleanSupplier isLate) {
    long start = System.nanoTime();
    for (int rank = 0; rank < handles.length; ) {
      int state = library.state(handles[rank]);
      long waited = System.nanoTime() - start;
      if (state == CollectiveLibrary.SUCCESS) {
        rank++;
      } else if (CollectiveLibrary.hasFailed(state)) {
        return library.failure(call + " of rank " + rank, state);
      } else if (waited > limit || isLate.getAsBoolean()) {
        return new HalException(
            Status.DEADLINE_EXCEEDED,
            "%s of rank %s did not end within %s"
                .formatted(call, rank, DurationText.of(Duration.ofNanos(Math.min(waited, limit)))));
      } else {
        pause(waited);
      }
    }
    return null;
  }

  /** As {@link #awaitReady}; afterwards any thread may use them, even when this one has ended. */
  private @Nullable HalException complete(String call, long limit, BooleanSupplier isLate) {
    HalException failure = awaitReady(call, limit, isLate);
    for (int rank = 0; rank < handles.length && failure == null; rank++) {
      failure = library.complete(handles[rank]);
    }
    isIncomplete = failure != null;
    return failure;
  }

  private static void pause(long waited) {
    if (waited < SPIN_NANOS) {
      Thread.onSpinWait();
    } else {
      Uninterruptibles.sleepUninterruptibly(BackOff.length(waited), TimeUnit.NANOSECONDS);
    }
  }

  /** The graphs of a call; null if the library has to launch it. */
  CollectiveGraphs.@Nullable Repeated graphs(CollectiveCall call) {
    return graphs == null ? null : graphs.find(call);
  }

  /**
   * Launches a collective on the streams of all ranks. Returns null or the failure, after which
   * parts may have been launched, or may still be (DEADLINE_EXCEEDED).
   *
   * @param patience how long to wait for the work behind the calls, in nanoseconds
   * @param isEnded whether to stop waiting
   */
  @Nullable HalException launch(
      CollectiveCall call, long[] streams, long patience, BooleanSupplier isEnded) {
    long left = patience;
    if (graphs != null && graphs.count(call)) {
      long start = System.nanoTime();
      HalException failure =
          graphs.capture(call, captured -> put(call, captured, patience, isEnded));
      if (failure != null) {
        return failure;
      }
      left = Math.max(0, patience - (System.nanoTime() - start));
    }
    return put(call, streams, left, isEnded);
  }

  private @Nullable HalException put(
      CollectiveCall call, long[] streams, long patience, BooleanSupplier isEnded) {
    isIncomplete = written != null;
    HalException failure = library.launch(call, handles, streams);
    return failure != null || written == null
        ? failure
        : complete("ncclGroupEnd", patience, isEnded);
  }

  /**
   * The failure behind the calls, or null. Not called during {@link #launch}, which polls as well.
   */
  @Nullable HalException failure() {
    for (int rank = 0; rank < handles.length; rank++) {
      int state = library.state(handles[rank]);
      if (CollectiveLibrary.hasFailed(state)) {
        return library.failure("a collective of rank " + rank, state);
      }
    }
    return null;
  }

  /** Whether they can be used again. Not called during {@link #launch}. */
  boolean isSound() {
    return !isIncomplete && failure() == null;
  }

  /** As {@link #abort(IntConsumer, Runnable)}, while nothing is being launched. */
  void abort() {
    abort(rank -> {}, () -> {});
  }

  /**
   * Ends all collectives and frees the communicators. Blocks, perhaps for ever.
   *
   * @param isOver called with each aborted rank
   * @param awaitLaunch waits for a launch of graphs, which may be going on. It may hang until the
   *     kernels of other ranks end, which the library has told them to by then.
   * @throws HalException if a rank cannot be aborted
   */
  void abort(IntConsumer isOver, Runnable awaitLaunch) {
    if (library.abortsTogether()) {
      abortTogether(awaitLaunch);
      for (int rank = 0; rank < handles.length; rank++) {
        isOver.accept(rank);
      }
      return;
    }
    List<HalException> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int rank = 0; rank < handles.length; rank++) { // each may wait for the others
      int own = rank;
      Thread thread =
          new EngineThread(
              "jhal-abort-rank",
              () -> {
                HalException[] failure = new HalException[1];
                binding.bound(own, false, () -> failure[0] = abort(own));
                if (failure[0] == null) {
                  isOver.accept(own);
                } else {
                  synchronized (failures) {
                    failures.add(failure[0]);
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    threads.forEach(Uninterruptibles::joinUninterruptibly);
    synchronized (failures) {
      if (!failures.isEmpty()) {
        throw failures.get(0);
      }
    }
  }

  /** In one group: its calls tell the kernels to end; its end waits for these and the graphs. */
  private void abortTogether(Runnable awaitLaunch) {
    HalException[] failure = new HalException[1];
    binding.bound(0, false, () -> failure[0] = library.grouped(() -> tellAll(awaitLaunch)));
    if (graphs != null) {
      graphs.closeStreams();
    }
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  /** Returns null or the first failure, after which the other ranks have been told as well. */
  private @Nullable HalException tellAll(Runnable awaitLaunch) {
    HalException[] first = new HalException[1];
    try {
      for (int rank = 0; rank < handles.length; rank++) {
        int own = rank;
        binding.bound(
            own,
            false,
            () -> {
              HalException failure = abort(own);
              first[0] = first[0] == null ? failure : first[0];
            });
      }
    } finally { // otherwise the end of the group would wait for ever
      awaitLaunch.run();
      if (graphs != null) {
        graphs.destroy();
      }
    }
    return first[0];
  }

  private @Nullable HalException abort(int rank) {
    return handles[rank] == 0 ? null : library.abort(handles[rank]);
  }

  /**
   * Frees the unused communicators: in good order if that succeeds in time, else by an abort.
   * Blocks.
   *
   * @param patience how long the good order may take, in nanoseconds
   * @throws HalException if that fails; then the rest is not freed
   */
  void end(long patience) {
    if (!isSound() || (written != null && !finish(patience))) {
      abort();
      return;
    }
    for (int rank = 0; rank < handles.length; rank++) {
      long handle = handles[rank];
      binding.bound(rank, false, () -> library.destroy(handle));
    }
  }

  /** Finalizes them; returns whether that has succeeded in time. */
  private boolean finish(long patience) {
    if (graphs != null) {
      graphs.destroy();
      graphs.closeStreams();
    }
    return grouped(rank -> library.finish(handles[rank])) == null
        && awaitReady("ncclCommFinalize", patience, () -> false) == null;
  }
}
