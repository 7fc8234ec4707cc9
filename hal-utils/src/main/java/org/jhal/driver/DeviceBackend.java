package org.jhal.driver;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;

/**
 * All that the engine asks of one open device, beside its streams. A driver implements it and hands
 * it to an {@link org.jhal.engine.EngineDevice}.
 *
 * <p>Failures are {@link org.jhal.HalException}s; one with status UNAVAILABLE means that the device
 * is lost. Called from any thread, from several at once, with the device bound, no lock held, and
 * not after {@link #close()}.
 *
 * @param <E> the driver's native event
 */
public interface DeviceBackend<E> extends ThreadBinding {
  /**
   * The kinds of commands that every driver runs. This set never grows: a driver that was written
   * before there was some other kind does not get commands of it.
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

  /** What is known of the device. */
  DeviceInfo info();

  /** What it offers beyond what all devices do; by default nothing. Always the same. */
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
   * The stream of queue {@code index}, from 0; called once for each, while the device is opened.
   */
  NativeStream<E> createStream(int index);

  /**
   * Whether {@link #allocate} can serve {@code params} at all. By default all that {@link
   * #capabilities()} allow.
   */
  default boolean supports(BufferParams params) {
    return params.type() != MemoryType.SHARED || capabilities().contains(Capability.SHARED_MEMORY);
  }

  /**
   * New memory; its bytes are not defined.
   *
   * @param bytes at least 0; of memory on the device, at most {@link DeviceInfo#maxAllocationBytes}
   * @param params that this {@link #supports}
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not enough
   */
  DeviceMemory allocate(long bytes, BufferParams params);

  /**
   * Memory over a direct, writable byte buffer, from position 0 to its capacity; called only with
   * {@link Capability#HOST_IMPORT}. Freeing it leaves the buffer alone.
   */
  default DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    throw new HalException(Status.UNIMPLEMENTED, info().uri() + " cannot import host memory");
  }

  /**
   * Loads kernels.
   *
   * @param variant of one of the {@link #executableFormats()}
   * @param kernels what the manifest says, in the order of {@link LoadedKernel#index()}; their
   *     workgroups are within the limits that {@link #info()} gives
   * @throws org.jhal.HalException UNIMPLEMENTED if this device cannot load this variant, and why;
   *     then the next one is tried. Anything else ends the search: NOT_FOUND for a kernel that is
   *     not there, INVALID_ARGUMENT for code that is malformed, OUT_OF_RANGE for a kernel that
   *     cannot run with workgroups as large as declared, or with as much shared memory.
   */
  KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels);

  /**
   * Frees the device. Called once at most, and last: its streams are closed, and everything else
   * made from it is freed, or leaked on purpose.
   */
  void close();
}
