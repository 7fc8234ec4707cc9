package org.jhal.driver;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jspecify.annotations.Nullable;

/**
 * What the engine needs of one open device, besides its streams. A driver implements it and passes
 * it to an {@link org.jhal.engine.EngineDevice}.
 *
 * <p>Failures are {@link org.jhal.HalException}s; one with status UNAVAILABLE means that the device
 * is lost.
 *
 * <p>Threads: the methods are called from any thread, from several at once, with the device bound
 * and no lock held. None is called after {@link #close()}.
 *
 * @param <E> the driver's native event
 */
public interface DeviceBackend<E> extends ThreadBinding {
  /**
   * The kinds of commands that every driver runs. This set never grows, so that a driver never gets
   * a kind of command that was added after it was written.
   */
  Set<Command.Kind> BASE_COMMANDS =
      Set.of(
          Command.Kind.FILL,
          Command.Kind.UPDATE,
          Command.Kind.UPLOAD,
          Command.Kind.READBACK,
          Command.Kind.COPY,
          Command.Kind.DISPATCH,
          Command.Kind.BARRIER);

  /** The properties of the device. Always the same. */
  DeviceInfo info();

  /** The optional features that the device offers; by default none. Always the same. */
  default Set<Capability> capabilities() {
    return Set.of();
  }

  /**
   * The kinds of commands that {@link NativeStream#issue} takes; by default the {@link
   * #BASE_COMMANDS}. Always the same. Any other command is refused with UNIMPLEMENTED when it is
   * recorded or enqueued, so that no stream ever sees one.
   */
  default Set<Command.Kind> supportedCommands() {
    return BASE_COMMANDS;
  }

  /** The formats of kernels that {@link #load} takes. Always the same. */
  Set<String> executableFormats();

  /**
   * Creates the stream of queue {@code index}, from 0. Called once for each queue, while the device
   * is opened. The engine closes it.
   */
  NativeStream<E> createStream(int index);

  /**
   * Whether {@link #allocate} supports {@code params} at all. By default everything that {@link
   * #capabilities()} allow.
   */
  default boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED || capabilities().contains(Capability.SHARED_MEMORY);
  }

  /**
   * Allocates memory, whose content is undefined.
   *
   * @param bytes at least 0; for memory on the device, at most {@link
   *     DeviceInfo#maxAllocationBytes}
   * @param params that this {@link #supports}
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough memory
   */
  DeviceMemory allocate(long bytes, BufferParams params);

  /**
   * Memory over a direct, writable byte buffer, from position 0 to its capacity; called only with
   * {@link Capability#HOST_IMPORT}. Freeing it does not free the buffer.
   */
  default DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    throw new HalException(Status.UNIMPLEMENTED, info().uri() + " cannot import host memory");
  }

  /**
   * Loads kernels.
   *
   * @param variant of one of the {@link #executableFormats()}
   * @param kernels as the manifest declares them, in the order of {@link LoadedKernel#index()};
   *     their workgroups are within the limits that {@link #info()} gives
   * @throws org.jhal.HalException UNIMPLEMENTED if this device cannot load this variant, with the
   *     reason; then the next variant is tried. Any other failure ends the search: NOT_FOUND for a
   *     missing kernel, INVALID_ARGUMENT for malformed code, OUT_OF_RANGE for a kernel that cannot
   *     run with the declared workgroup size or shared memory.
   */
  KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels);

  /**
   * Called when a reusable recording is submitted for the second time: a driver that can issue it
   * faster than command by command returns an object for that, which {@link CommandList#prepared}
   * returns from then on. Called once for a recording, without the device bound; makes no native
   * call.
   *
   * @return null if the commands are issued one by one
   */
  default @Nullable PreparedCommands prepare(CommandList commands) {
    return null;
  }

  /** How native graphs are used, for {@link org.jhal.DeviceStatistics}. */
  default GraphStatistics graphs() {
    return GraphStatistics.NONE;
  }

  /**
   * Frees the device. Called at most once, and last: its streams are closed, and everything else
   * made from it is freed or leaked on purpose.
   */
  void close();
}
