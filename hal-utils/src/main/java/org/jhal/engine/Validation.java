package org.jhal.engine;

import java.util.Collection;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BufferRef;
import org.jhal.BufferUsage;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceInfo;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.MemoryType;
import org.jhal.Parameter;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Manifest;
import org.jhal.engine.queue.EngineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * Checks arguments for all drivers (rule M5). A message names the argument, its value and the
 * limit. Each method throws a {@link HalException} for what it refuses.
 */
final class Validation {
  private Validation() {}

  /** Checks that every wait and every signal is possible. */
  static void fences(Fence waits, Fence signals) {
    Objects.requireNonNull(waits, "waits");
    Objects.requireNonNull(signals, "signals");
    for (int i = 0; i < waits.size(); i++) {
      EngineSemaphore.of(waits.semaphore(i)).checkFutureWait();
    }
    for (int i = 0; i < signals.size(); i++) {
      EngineSemaphore.of(signals.semaphore(i)).checkFutureSignal(signals.value(i));
    }
  }

  /**
   * Describes a foreign device. One device that is opened twice has the same name twice, which the
   * text then explains.
   */
  static String otherThan(EngineDevice<?> device, @Nullable EngineDevice<?> other) {
    return "another device, not "
        + device.name()
        + (other != null && other.name().equals(device.name())
            ? "; it was opened more than once, and each opening is a separate device"
            : "");
  }

  /** Names the device that something was made for, and says that it is not {@code device}. */
  static String namesOf(EngineDevice<?> device, @Nullable EngineDevice<?> other) {
    return other == null || other.name().equals(device.name())
        ? otherThan(device, other)
        : other.name() + ", not " + device.name();
  }

  /** Refuses a kind of command that the driver does not support. Nothing else checks that. */
  static Command.Kind supported(EngineDevice<?> device, Command.Kind kind) {
    if (!device.supportedCommands().contains(kind)) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          device.name()
              + " runs no commands of kind "
              + kind
              + "; it runs "
              + device.supportedCommands());
    }
    return kind;
  }

  /** Refuses a buffer that is larger than the device can ever provide. */
  static void allocation(EngineDevice<?> device, long bytes, BufferParams params) {
    boolean isOnDevice = params.type() == MemoryType.DEVICE || params.type() == MemoryType.SHARED;
    if (isOnDevice && bytes > device.info().maxAllocationBytes()) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "buffer of "
              + bytes
              + " bytes exceeds the largest allocation of "
              + params.type()
              + " memory on "
              + device.name()
              + ", which is "
              + device.info().maxAllocationBytes());
    }
  }

  /** Refuses kernels whose workgroups are larger, or need more, than the device supports. */
  static void workgroups(EngineDevice<?> device, Manifest manifest) {
    DeviceInfo info = device.info();
    Workgroups most = info.maxWorkgroupSize();
    for (KernelSpec kernel : manifest.kernels()) {
      Workgroups size = kernel.workgroupSize();
      long items = (long) size.x() * size.y() * size.z(); // KernelSpec: fits into an int
      if (size.x() > most.x()
          || size.y() > most.y()
          || size.z() > most.z()
          || items > info.maxWorkgroupItems()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            "kernel '"
                + kernel.name()
                + "' of "
                + manifest.name()
                + " has workgroups of "
                + size
                + ", "
                + items
                + " work items; "
                + device.name()
                + " takes at most "
                + most
                + ", and "
                + info.maxWorkgroupItems()
                + " work items");
      }
      if (kernel.dynamicSharedMemory() > info.maxSharedMemory()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            "kernel '"
                + kernel.name()
                + "' of "
                + manifest.name()
                + " has "
                + kernel.dynamicSharedMemory()
                + " bytes of shared memory; "
                + device.name()
                + " takes at most "
                + info.maxSharedMemory());
      }
    }
  }

  /**
   * Returns {@code buffer} as the engine's own type, if it belongs to {@code device} and is open.
   */
  static EngineBuffer buffer(EngineDevice<?> device, String what, DeviceBuffer buffer) {
    EngineBuffer own = ownOrNull(device, what, buffer);
    if (own == null) {
      throw foreign(device, what, buffer, "");
    }
    return own;
  }

  /** The same, for a buffer that is to be read or written: tells how to do that with another's. */
  static EngineBuffer usable(EngineDevice<?> device, String what, DeviceBuffer buffer) {
    EngineBuffer own = ownOrNull(device, what, buffer);
    if (own == null) {
      throw foreign(device, what, buffer, remedy(device, buffer));
    }
    return own;
  }

  private static @Nullable EngineBuffer ownOrNull(
      EngineDevice<?> device, String what, DeviceBuffer buffer) {
    Objects.requireNonNull(buffer, what);
    if (!(buffer instanceof EngineBuffer own) || own.storage.device != device) {
      return null;
    }
    own.checkOpen(what);
    return own;
  }

  private static HalException foreign(
      EngineDevice<?> device, String what, DeviceBuffer buffer, String remedy) {
    EngineDevice<?> other = buffer instanceof EngineBuffer engine ? engine.device() : null;
    return new HalException(
        Status.INVALID_ARGUMENT,
        what + ": " + buffer + " belongs to " + otherThan(device, other) + remedy);
  }

  private static String remedy(EngineDevice<?> device, DeviceBuffer buffer) {
    if (!(buffer instanceof EngineBuffer other) || other.device().name().equals(device.name())) {
      return ""; // otherThan() explains
    }
    return device.canAccess(other.storage.home().device)
            && !other.storage.home().isTransient
            && device.peers().refusal(other.storage) == null
        ? "; importPeer makes it usable there"
        : "; copy it";
  }

  /** Returns {@code file} as the engine's own type, if it belongs to {@code device} and is open. */
  static EngineFile file(EngineDevice<?> device, DeviceFile file) {
    Objects.requireNonNull(file, "file");
    if (!(file instanceof EngineFile own) || own.device() != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          file
              + " belongs to "
              + otherThan(device, file instanceof EngineFile other ? other.device() : null));
    }
    own.checkOpen();
    return own;
  }

  /** Checks a range of a buffer or a slot, and stores it in {@code operand}. */
  static void operand(
      EngineDevice<?> device,
      String what,
      BufferRef ref,
      long offset,
      long length,
      BufferUsage usage,
      RecordedOperand operand) {
    Objects.requireNonNull(ref, what);
    if (ref instanceof Slot slot) {
      if (slot.length() != Slot.WHOLE) {
        range(what, offset, length, slot.length());
      } else {
        range(what, offset, length, Long.MAX_VALUE - slot.offset());
      }
      operand.set(slot, offset, length);
      return;
    }
    EngineBuffer buffer = usable(device, what, (DeviceBuffer) ref);
    range(what, offset, length, buffer.size());
    usage(what, buffer, usage);
    operand.set(buffer.storage, buffer.offset + offset, length);
  }

  static void range(String what, long offset, long length, long size) {
    if (offset < 0 || length < 0 || offset > size - length) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          what
              + ": offset "
              + offset
              + ", length "
              + length
              + " does not fit into "
              + size
              + " bytes");
    }
  }

  static void usage(String what, EngineBuffer buffer, BufferUsage usage) {
    boolean isMapping = usage == BufferUsage.MAP_READ || usage == BufferUsage.MAP_WRITE;
    if (!buffer.storage.allows(1 << usage.ordinal())) {
      throw new HalException(
          Status.PERMISSION_DENIED,
          what
              + ": "
              + buffer
              + " was made for "
              + buffer.params().usage()
              + ", not for "
              + usage
              + (isMapping && buffer.params().type() == MemoryType.DEVICE
                  ? "; the host can map SHARED and HOST memory, not DEVICE memory"
                  : ""));
    }
  }

  static void usage(String what, EngineBuffer buffer, Collection<BufferUsage> usages) {
    for (BufferUsage usage : usages) {
      usage(what, buffer, usage);
    }
  }

  /**
   * Checks the alignment of an operand. Of a slot only the known part of the offset is checked
   * here, the rest when a binding table is given.
   */
  static void multiple(String what, RecordedOperand operand, int unit) {
    multiple(what, operand.offset, unit);
  }

  static void multiple(String what, long value, int unit) {
    if (value % unit != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT, what + " " + value + " must be a multiple of " + unit);
    }
  }

  /**
   * Refuses a copy between devices where only commands of one device are possible; on a queue it is
   * no command.
   */
  static void sameDevice(EngineDevice<?> device, BufferRef from, BufferRef to) {
    if (from instanceof EngineBuffer source
        && to instanceof EngineBuffer target
        && source.device() != target.device()) {
      boolean isSource = source.device() != device;
      throw foreign(
          device,
          isSource ? "source" : "target",
          isSource ? source : target,
          "; a command buffer cannot copy between devices, a queue can");
    }
  }

  static void disjoint(long sourceOffset, long targetOffset, long length) {
    if (sourceOffset < targetOffset + length && targetOffset < sourceOffset + length) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "copy of "
              + length
              + " bytes from offset "
              + sourceOffset
              + " to offset "
              + targetOffset
              + " of the same buffer: the ranges overlap");
    }
  }

  static void writable(HostMemory target) {
    if (!target.isWritable()) {
      throw new HalException(Status.INVALID_ARGUMENT, "readback target is read-only");
    }
  }

  static EngineKernel kernel(EngineDevice<?> device, Kernel kernel) {
    Objects.requireNonNull(kernel, "kernel");
    if (!(kernel instanceof EngineKernel own) || own.executable().device() != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "kernel "
              + kernel
              + " was loaded for "
              + namesOf(
                  device,
                  kernel instanceof EngineKernel other ? other.executable().device() : null));
    }
    own.executable().checkOpen();
    return own;
  }

  static void grid(EngineDevice<?> device, EngineKernel kernel, Workgroups count) {
    Objects.requireNonNull(count, "count");
    Workgroups most = kernel.maxCount();
    if (count.x() > most.x() || count.y() > most.y() || count.z() > most.z()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "grid " + count + " of " + kernel + ": " + device.name() + " takes at most " + most);
    }
  }

  static void argumentCount(EngineKernel kernel, Args args) {
    Objects.requireNonNull(args, "args");
    if (args.size() != kernel.parameterCount()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          kernel
              + " takes "
              + kernel.parameterCount()
              + (kernel.parameterCount() == 1 ? " argument " : " arguments ")
              + names(kernel)
              + ", got "
              + args.size());
    }
  }

  private static String names(EngineKernel kernel) {
    return kernel.parameters().stream().map(Parameter::name).toList().toString();
  }

  /** Names an argument of a kernel, for messages about it. */
  static String argument(EngineKernel kernel, int index, Parameter parameter) {
    return "argument " + index + " of " + kernel + ", " + parameter.name();
  }

  /** Checks the buffer passed for a parameter, and stores it in {@code operand}. */
  static void bufferArgument(
      EngineDevice<?> device,
      EngineKernel kernel,
      int index,
      Parameter parameter,
      Object value,
      RecordedOperand operand) {
    if (!(value instanceof BufferRef ref)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          argument(kernel, index, parameter)
              + ": needs a buffer, got "
              + value.getClass().getSimpleName()
              + " "
              + value);
    }
    if (ref instanceof Slot slot) {
      operand.set(slot, 0, slot.length());
    } else {
      EngineBuffer buffer = usable(device, parameter.name(), (DeviceBuffer) ref);
      if (parameter.isRead()) {
        usage(parameter.name(), buffer, BufferUsage.DISPATCH_READ);
      }
      if (parameter.isWritten()) {
        usage(parameter.name(), buffer, BufferUsage.DISPATCH_WRITE);
      }
      operand.set(buffer.storage, buffer.offset, buffer.size());
    }
    if (operand.offset % parameter.type().bytes() != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          argument(kernel, index, parameter)
              + ": offset "
              + operand.offset
              + " must be a multiple of "
              + parameter.type().bytes()
              + ", the size of "
              + parameter.type().label());
    }
  }
}
