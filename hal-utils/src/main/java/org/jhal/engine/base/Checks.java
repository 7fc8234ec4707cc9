package org.jhal.engine.base;

import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.DeviceInfo;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
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
public final class Checks {
  private Checks() {}

  /** Checks that every wait and every signal is possible. */
  public static void fences(Fence waits, Fence signals) {
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
  public static String otherThan(DeviceCore<?> device, @Nullable DeviceCore<?> other) {
    return "another device, not "
        + device.name()
        + (other != null && other.name().equals(device.name())
            ? "; it was opened more than once, and each opening is a separate device"
            : "");
  }

  /** Names the device that something was made for, and says that it is not {@code device}. */
  public static String namesOf(DeviceCore<?> device, @Nullable DeviceCore<?> other) {
    return other == null || other.name().equals(device.name())
        ? otherThan(device, other)
        : other.name() + ", not " + device.name();
  }

  /** Refuses a kind of command that the driver does not support. Nothing else checks that. */
  public static Command.Kind supported(DeviceCore<?> device, Command.Kind kind) {
    if (!device.supportedCommands().contains(kind)) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          (device.name() + " runs no commands of kind " + kind)
              + ("; it runs " + device.supportedCommands()));
    }
    return kind;
  }

  /** Refuses a size below 0, and memory of a type that the device does not have. */
  public static void memory(DeviceCore<?> device, long bytes, BufferParams params) {
    Objects.requireNonNull(params, "params");
    if (bytes < 0) {
      throw new HalException(Status.OUT_OF_RANGE, "buffer size " + bytes + " is negative");
    }
    if (!device.backend().supports(params)) {
      throw new HalException(
          Status.UNIMPLEMENTED, device.name() + " has no memory of type " + params.type());
    }
  }

  /** Refuses a buffer that is larger than the device can ever provide. */
  public static void allocation(DeviceCore<?> device, long bytes, BufferParams params) {
    boolean isOnDevice = params.type() == MemoryType.DEVICE || params.type() == MemoryType.SHARED;
    long most = device.info().maxAllocationBytes();
    if (isOnDevice && bytes > most) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          ("buffer of " + bytes + " bytes exceeds the largest allocation of " + params.type())
              + (" memory on " + device.name() + ", which is " + most));
    }
  }

  /** Refuses kernels whose workgroups are larger, or need more, than the device supports. */
  public static void workgroups(DeviceCore<?> device, Manifest manifest) {
    DeviceInfo info = device.info();
    Workgroups most = info.maxWorkgroupSize();
    for (KernelSpec kernel : manifest.kernels()) {
      Workgroups size = kernel.workgroupSize();
      long items = (long) size.x() * size.y() * size.z(); // KernelSpec: fits into an int
      String needs = "kernel '" + kernel.name() + "' of " + manifest.name() + " has ";
      String takes = "; " + device.name() + " takes at most ";
      if (size.x() > most.x()
          || size.y() > most.y()
          || size.z() > most.z()
          || items > info.maxWorkgroupItems()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            needs
                + ("workgroups of " + size + ", " + items + " work items" + takes + most)
                + (", and " + info.maxWorkgroupItems() + " work items"));
      }
      if (kernel.dynamicSharedMemory() > info.maxSharedMemory()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            needs
                + (kernel.dynamicSharedMemory() + " bytes of shared memory" + takes)
                + info.maxSharedMemory());
      }
    }
  }

  public static void range(String what, long offset, long length, long size) {
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

  public static void multiple(String what, long value, int unit) {
    if (value % unit != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT, what + " " + value + " must be a multiple of " + unit);
    }
  }

  public static void disjoint(long sourceOffset, long targetOffset, long length) {
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

  public static void writable(HostMemory target) {
    if (!target.isWritable()) {
      throw new HalException(Status.INVALID_ARGUMENT, "readback target is read-only");
    }
  }
}
