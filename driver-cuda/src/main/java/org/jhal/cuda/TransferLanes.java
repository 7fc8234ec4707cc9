package org.jhal.cuda;

import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The {@link TransferLane}s of a device: at most as many as transfers have been under way at once.
 */
final class TransferLanes {
  private final CudaContext context;
  private final ConcurrentLinkedDeque<TransferLane> free = new ConcurrentLinkedDeque<>();

  TransferLanes(CudaContext context) {
    this.context = context;
  }

  TransferLane take() {
    TransferLane lane = free.pollFirst();
    return lane != null ? lane : new TransferLane(context);
  }

  void giveBack(TransferLane lane) {
    free.addFirst(lane);
  }

  void close() {
    for (TransferLane lane = free.poll(); lane != null; lane = free.poll()) {
      lane.close();
    }
  }
}
