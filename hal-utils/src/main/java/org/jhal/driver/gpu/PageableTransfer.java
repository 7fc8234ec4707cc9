package org.jhal.driver.gpu;

import org.jhal.HostMemory;
import org.jhal.driver.HostCompletion;

/**
 * The host completion of a transfer of pageable memory, which the device cannot access: moves the
 * bytes in chunks through page-locked memory. It runs when the stream has reached the operation. By
 * then everything that the operation depends on is over, and nothing that depends on it starts
 * before this ends.
 */
final class PageableTransfer<S, E> implements HostCompletion {
  private final GpuDevice<S, E, ?> device;
  private final HostMemory host;
  private final long address;
  private final boolean isUpload;

  private PageableTransfer(
      GpuDevice<S, E, ?> device, HostMemory host, long address, boolean isUpload) {
    this.device = device;
    this.host = host;
    this.address = address;
    this.isUpload = isUpload;
  }

  static PageableTransfer<?, ?> upload(GpuDevice<?, ?, ?> device, HostMemory source, long target) {
    return new PageableTransfer<>(device, source, target, true);
  }

  static PageableTransfer<?, ?> readback(
      GpuDevice<?, ?, ?> device, long source, HostMemory target) {
    return new PageableTransfer<>(device, target, source, false);
  }

  @Override
  public void run() {
    device.runtime().callBound(this::move);
  }

  private void move() {
    TransferLane<S, E> lane = device.lanes().take();
    try {
      if (isUpload) {
        upload(lane);
      } else {
        readback(lane);
      }
    } finally {
      if (lane.settle()) {
        device.lanes().giveBack(lane);
      } else {
        device.frees().free(lane::close); // waits until nothing uses the chunks
      }
    }
  }

  private static int size(long offset, long end) {
    return (int) Math.min(TransferLane.CHUNK_BYTES, end - offset);
  }

  private void upload(TransferLane<S, E> lane) {
    int index = 0;
    for (long at = 0; at < host.size(); at += TransferLane.CHUNK_BYTES) {
      int size = size(at, host.size());
      lane.await(index);
      host.read(at, lane.bytes(index, size));
      lane.write(index, address + at, size);
      index = 1 - index;
    }
    lane.await(0);
    lane.await(1);
  }

  private void readback(TransferLane<S, E> lane) {
    int index = 0;
    lane.read(index, address, size(0, host.size()));
    for (long at = 0; at < host.size(); at += TransferLane.CHUNK_BYTES) {
      long next = at + TransferLane.CHUNK_BYTES;
      if (next < host.size()) {
        lane.read(1 - index, address + next, size(next, host.size()));
      }
      lane.await(index);
      host.write(at, lane.bytes(index, size(at, host.size())));
      index = 1 - index;
    }
  }
}
