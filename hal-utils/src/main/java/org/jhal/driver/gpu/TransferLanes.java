package org.jhal.driver.gpu;

import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The {@link TransferLane}s of a device: as many as transfers were ever under way at once.
 * Thread-safe.
 */
final class TransferLanes<S, E> {
  private final GpuRuntime<S, E, ?> runtime;
  private final ConcurrentLinkedDeque<TransferLane<S, E>> free = new ConcurrentLinkedDeque<>();

  TransferLanes(GpuRuntime<S, E, ?> runtime) {
    this.runtime = runtime;
  }

  TransferLane<S, E> take() {
    TransferLane<S, E> lane = free.pollFirst();
    return lane != null ? lane : new TransferLane<>(runtime);
  }

  void giveBack(TransferLane<S, E> lane) {
    free.addFirst(lane);
  }

  void close() {
    for (TransferLane<S, E> lane = free.poll(); lane != null; lane = free.poll()) {
      lane.close();
    }
  }
}
