// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.IndirectWorkgroups;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/** The kinds of operation that queues support. A device need not support them all. */
public enum OperationKind {
  BARRIER,
  EXECUTE,
  DISPATCH,
  INDIRECT_DISPATCH,
  FILL,
  UPDATE,
  UPLOAD,
  READBACK,
  COPY,
  ALLOCA,
  ALLOCA_DEALLOCA,
  HOST_CALL,
  FILE_READ,
  FILE_WRITE,
  EXTERNAL;

  /** The kinds that queues of {@code device} support, in the order of this class. */
  public static List<OperationKind> of(Cts cts, Device device) {
    Set<OperationKind> kinds = EnumSet.allOf(OperationKind.class);
    if (!ExternalCommands.isOffered(cts, device)) {
      kinds.remove(EXTERNAL);
    }
    if (!device.capabilities().contains(Capability.INDIRECT_DISPATCH)) {
      kinds.remove(INDIRECT_DISPATCH);
    }
    return List.copyOf(kinds);
  }

  /**
   * Makes the test, or this invocation of it, unsupported if the device does not support this kind.
   */
  public void need(Cts cts) {
    if (this == EXTERNAL && !ExternalCommands.isOffered(cts, cts.device())) {
      throw Cts.unsupported(ExternalCommands.UNSUPPORTED);
    }
    if (this == INDIRECT_DISPATCH
        && !cts.device().capabilities().contains(Capability.INDIRECT_DISPATCH)) {
      throw Cts.unsupported("the device does not offer " + Capability.INDIRECT_DISPATCH);
    }
  }

  /** Whether it runs a kernel, which {@link #enqueue} looks up on the device under test. */
  public boolean runsKernel() {
    return this == DISPATCH || this == INDIRECT_DISPATCH;
  }

  /**
   * Enqueues one operation of this kind, which the device must support.
   *
   * @param buffer of 16 bytes or more, which the operation may write
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
      case INDIRECT_DISPATCH ->
          queue.dispatch(
              waits,
              signals,
              cts.kernel("write_parameters"),
              IndirectWorkgroups.of(cts.oneWorkgroup(queue.device())),
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
      case EXTERNAL -> ExternalCommands.enqueueFill(queue, waits, signals, buffer);
      case FILE_READ -> {
        try (DeviceFile file = queue.device().wrapFile(Scratch.FILE)) {
          queue.read(waits, signals, file, 0, buffer, 0, 4);
        }
      }
      case FILE_WRITE -> {
        try (DeviceFile file = queue.device().wrapFile(Scratch.FILE)) {
          queue.write(waits, signals, file, 4, buffer, 0, 4);
        }
      }
    }
  }

  /** One file for all operations, so that many of them do not need many open files. */
  private static final class Scratch {
    /** Contains 8 bytes. Never closed; the file is deleted when the JVM exits. */
    static final FileChannel FILE = make();

    private static FileChannel make() {
      try {
        Path path = Files.createTempFile("jhal-cts", ".scratch");
        FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        int written = file.write(ByteBuffer.allocate(8), 0);
        if (written != 8) {
          throw new IOException(written + " of 8 bytes were written to " + path);
        }
        return file;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
