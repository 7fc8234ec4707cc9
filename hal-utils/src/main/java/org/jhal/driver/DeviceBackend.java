// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
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

  /**
   * The optional features that the device offers; by default none. {@link
   * Capability#INDIRECT_DISPATCH} follows from the {@link #supportedCommands}. Always the same.
   */
  default Set<Capability> capabilities() {
    return Set.of();
  }

  /**
   * Why the device cannot load cooperative kernels, for the message of a load; continues a sentence
   * that begins with the device. Only without {@link Capability#COOPERATIVE_DISPATCH}.
   */
  default String noCooperation() {
    return "does not promise to run all workgroups of a dispatch at the same time";
  }

  /**
   * The kinds of commands that {@link NativeStream#submit} takes; by default the {@link
   * #BASE_COMMANDS}. Always the same. Any other command is refused with UNIMPLEMENTED when it is
   * recorded or enqueued, so that no stream ever sees one.
   */
  default Set<Command.Kind> supportedCommands() {
    return BASE_COMMANDS;
  }

  /** The formats of kernels that {@link #load} takes. Always the same. */
  Set<String> executableFormats();

  /** Why a format is none of the {@link #executableFormats()}, for the message of a load. */
  default String refusal(String format) {
    return info().driver() + "-" + info().index() + " loads " + new TreeSet<>(executableFormats());
  }

  /**
   * Where a variant stands in the order in which those of a bundle are tried: lower numbers come
   * first. Of variants with the same number, those of overlays precede the bundle's own, and each
   * manifest's order counts. By default all have the same.
   */
  default int rank(Variant variant) {
    return 0;
  }

  /**
   * Creates the stream of queue {@code index}, from 0. Called once for each queue, while the device
   * is opened, and maybe later for hidden queues that serve groups of devices; their indexes come
   * after those of the queues. The engine closes it.
   */
  NativeStream<E> createStream(int index);

  /**
   * Creates the stream of an acquired queue (rule Q12). By default it is as any other, with the
   * priority NORMAL and no share. A driver with a {@link Capability#QUEUE_PRIORITY} or a {@link
   * Capability#QUEUE_SHARE} overrides this; {@link org.jhal.driver.support.ComputeShares} keeps its
   * books. Called at any time; if it throws, nothing is taken. The engine closes the stream, once,
   * before the device if its owner does; other streams may then still be about to pass waits for
   * its events, all of which have fired.
   *
   * @param index above those of all other streams; one that was closed may have had it
   * @param request has a share only on a device with {@link Capability#QUEUE_SHARE}
   * @throws org.jhal.HalException RESOURCE_EXHAUSTED if there is not so much left to share
   */
  default GrantedStream<E> acquireStream(int index, QueueRequest request) {
    return new GrantedStream<>(
        createStream(index), new QueueGrant(QueueRequest.Priority.NORMAL, 0, 0, false));
  }

  /** Why the device has no {@link Capability#QUEUE_SHARE}, for users. */
  default String noShares() {
    return info().driver() + " devices do not divide their compute units among queues";
  }

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
   *
   * <p>A device with this capability takes every buffer of {@link ByteBuffer#allocateDirect}, at
   * any address and of any size, 0 included. If the runtime imports whole pages only, import those
   * that the buffer lies in, and keep the offset.
   *
   * @throws org.jhal.HalException INVALID_ARGUMENT if the runtime cannot take other memory, such as
   *     that of a mapped file; FAILED_PRECONDITION if it takes memory once only, and an open buffer
   *     has it; RESOURCE_EXHAUSTED if no more can be page-locked
   */
  default DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    throw new HalException(Status.UNIMPLEMENTED, info().uri() + " cannot import host memory");
  }

  /**
   * Memory that the program has allocated on the device itself; called only with {@link
   * Capability#NATIVE_ACCESS} or {@link Capability#HOST_ADDRESSES}. Freeing it does not free that
   * memory.
   *
   * <p>It is for runtimes whose memory is an address. Where memory is a handle, as in OpenCL or in
   * Vulkan, leave out {@link Capability#NATIVE_ACCESS}.
   *
   * @param address the device's address of the first byte
   * @param bytes at least 1
   * @throws org.jhal.HalException INVALID_ARGUMENT if the runtime can detect that the range is not
   *     in one allocation of this device
   */
  default DeviceMemory importDevice(long address, long bytes) {
    throw new HalException(Status.UNIMPLEMENTED, info().uri() + " cannot import device memory");
  }

  /**
   * The objects that {@link org.jhal.Device#unwrap} hands out; by default none. With {@link
   * Capability#NATIVE_ACCESS} one of them is a {@link org.jhal.spi.NativeCalls}. Always the same.
   */
  default List<Object> views() {
    return List.of();
  }

  /**
   * The token of the devices whose events the streams of this one can wait for, and the other way
   * round; compared by identity. By default null: those of no other device. Always the same.
   * Semaphores may keep it longer than the device is open.
   *
   * <p>{@link NativeStream#submit} waits for the events of all devices with the same token. It is
   * called with this device bound, and while the other one is not closed. If it fails, the engine
   * asks the other device about the event, to find out which of the two is lost.
   */
  default @Nullable Object eventDomain() {
    return null;
  }

  /**
   * Whether an event may fire although the work behind it has failed and nothing has called {@link
   * Submission#fail} before: then the engine asks for the {@link NativeStream#outcome} of each
   * recording that has fired, and waits for the event of each operation, even if a later one has
   * fired. By default false, which costs nothing. Always the same.
   */
  default boolean outcomesCanFail() {
    return false;
  }

  /**
   * Why commands on this device's streams cannot use the memory of {@code owner}; null if they can.
   * By default they cannot. What they can use is all memory that {@code owner} has allocated, but
   * not what was imported. Always the same. Makes no call that fails if a device is lost.
   *
   * @param owner another device, of any driver
   */
  default @Nullable String noAccess(DeviceBackend<?> owner) {
    return info().driver() + " devices do not use the memory of others";
  }

  /**
   * Makes it so that commands on this device's streams can use the memory of {@code owner}, which
   * may take long. Called before the first such command, and perhaps again, by a thread of this
   * device, with this device bound. Called only if {@link #noAccess} is null, and while {@code
   * owner} is not closed.
   *
   * @throws org.jhal.HalException if the runtime refuses; then operations that need it fail. With
   *     UNAVAILABLE if either device is lost: the engine asks the streams of {@code owner} whether
   *     it is that one
   */
  default void enableAccess(DeviceBackend<?> owner) {}

  /**
   * Makes what carries out collectives between devices of this driver. By default there is nothing
   * that does, and their data goes through the host. Blocks.
   *
   * @param ranks the devices by rank, of any drivers. The first one is this one
   * @param patience how long it may take, in nanoseconds
   * @throws org.jhal.HalException if it cannot be made; the message tells users why.
   *     DEADLINE_EXCEEDED if it takes longer: then what the driver uses for it is kept until the
   *     calls that hang return. UNAVAILABLE means the loss of this device, not of another rank's
   */
  default NativeGroup<E> createGroup(List<DeviceBackend<?>> ranks, long patience) {
    throw new HalException(
        Status.UNIMPLEMENTED, info().driver() + " has no library for collectives");
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
   * As {@link #load(ExecutableSource, Variant, List)}, for a bundle that declares variables for the
   * host. Overridden by drivers with {@link Capability#KERNEL_GLOBALS}; others ignore them.
   *
   * @param globals in the order of the indexes of {@link #global}
   * @throws org.jhal.HalException as above; also NOT_FOUND for a missing variable, and
   *     INVALID_ARGUMENT for one of another size
   */
  default KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels, List<Global> globals) {
    return load(source, variant, kernels);
  }

  /**
   * The memory of a variable of a module, which lives as long as the module. Freeing it frees
   * nothing. Of two threads that ask for it at the same time, one frees what it got.
   *
   * @param module of this device, not unloaded
   * @param index of the variable among those that {@link #load(ExecutableSource, Variant, List,
   *     List)} got
   * @throws org.jhal.HalException UNIMPLEMENTED if this device, or a module of this format, gives
   *     no access to variables, with the reason
   */
  default DeviceMemory global(KernelModule module, int index) {
    throw new HalException(
        Status.UNIMPLEMENTED, info().uri() + " gives no access to variables of kernels");
  }

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
   * The device is being closed, and work on it has not ended by the deadline (rule Q8). It may
   * never end. A driver that can lets the streams of other devices get past waits for events of
   * this one; the operations behind such waits fail (rule S9a). Everything that this device's own
   * work uses stays as it is. Called at most once, with the device bound; must not block.
   */
  default void abandon() {}

  /**
   * Frees the device. Called at most once, and last: its streams are closed, and everything else
   * made from it is freed or leaked on purpose.
   */
  void close();
}
