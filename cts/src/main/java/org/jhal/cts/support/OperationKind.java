package org.jhal.cts.support;

import java.nio.ByteBuffer;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/** All kinds of operation that a queue takes. */
public enum OperationKind {
  BARRIER,
  EXECUTE,
  DISPATCH,
  FILL,
  UPDATE,
  UPLOAD,
  READBACK,
  COPY,
  ALLOCA,
  ALLOCA_DEALLOCA,
  HOST_CALL;

  /**
   * Enqueues one.
   *
   * @param buffer of 16 bytes or more, which it may write
   */
  public void enqueue(Cts cts, DeviceQueue queue, Fence waits, Fence signals, DeviceBuffer buffer) {
    ByteBuffer host = ByteBuffer.allocate(4);
    switch (this) {
      case BARRIER -> queue.barrier(waits, signals);
      case EXECUTE -> {
        try (CommandBuffer commands =
            queue.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
          commands.fill(buffer, 0, 4, FillPattern.ZERO);
          commands.end();
          queue.execute(waits, signals, commands);
        }
      }
      case DISPATCH ->
          queue.dispatch(
              waits,
              signals,
              cts.kernel("write_parameters"),
              Workgroups.of(1),
              Args.of(buffer, 1, 2, 3));
      case FILL -> queue.fill(waits, signals, buffer, 0, 4, FillPattern.ZERO);
      case UPDATE -> queue.update(waits, signals, host, buffer, 0);
      case UPLOAD -> queue.upload(waits, signals, host, buffer, 0);
      case READBACK -> queue.readback(waits, signals, buffer, 0, host);
      case COPY -> queue.copy(waits, signals, buffer, 0, buffer, 8, 4);
      case ALLOCA -> queue.alloca(waits, signals, 64, BufferParams.DEVICE).close();
      case ALLOCA_DEALLOCA -> {
        TimelineSemaphore between = cts.semaphore();
        DeviceBuffer scratch = queue.alloca(waits, between.at(1), 64, BufferParams.DEVICE);
        cts.closing(scratch);
        queue.dealloca(between.at(1), signals, scratch);
      }
      case HOST_CALL -> queue.hostCall(waits, signals, HostCall.Mode.BLOCKING, context -> {});
    }
  }
}
