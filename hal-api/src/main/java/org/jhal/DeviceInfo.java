// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a device, known before it is opened. A driver creates it with {@link #builder},
 * so properties that are added later require no change in a driver.
 *
 * <p>Immutable; any thread may use it. Two are equal if all their properties are equal.
 */
public final class DeviceInfo {
  private final String driver;
  private final int index;
  private final String name;
  private final String uuid;
  private final @Nullable String pciAddress;
  private final long memoryBytes;
  private final long maxAllocationBytes;
  private final Workgroups maxWorkgroupCount;
  private final int maxWorkgroupItems;
  private final Workgroups maxWorkgroupSize;
  private final int maxSharedMemory;
  private final int maxArgumentBytes;
  private final int maxQueues;
  private final boolean reportsKernelFailures;
  private final boolean computesOnHost;
  private final Map<String, String> properties;

  private DeviceInfo(Builder from) {
    driver = from.driver;
    index = from.index;
    name = Objects.requireNonNull(from.name, "name");
    uuid = Objects.requireNonNull(from.uuid, "uuid");
    pciAddress = from.pciAddress;
    memoryBytes = atLeast("memoryBytes", from.memoryBytes, 0);
    maxAllocationBytes =
        Math.min(atLeast("maxAllocationBytes", from.maxAllocationBytes, 0), memoryBytes);
    maxWorkgroupCount = Objects.requireNonNull(from.maxWorkgroupCount, "maxWorkgroupCount");
    maxWorkgroupItems = (int) atLeast("maxWorkgroupItems", from.maxWorkgroupItems, 1);
    Workgroups size = from.maxWorkgroupSize;
    if (size.isEmpty()) {
      throw new HalException(
          Status.OUT_OF_RANGE, "maxWorkgroupSize " + size + ": needs at least 1 along each axis");
    }
    maxWorkgroupSize =
        new Workgroups(
            Math.min(size.x(), maxWorkgroupItems),
            Math.min(size.y(), maxWorkgroupItems),
            Math.min(size.z(), maxWorkgroupItems));
    maxSharedMemory = (int) atLeast("maxSharedMemory", from.maxSharedMemory, 0);
    maxArgumentBytes = (int) atLeast("maxArgumentBytes", from.maxArgumentBytes, 0);
    maxQueues = (int) atLeast("maxQueues", from.maxQueues, 1);
    reportsKernelFailures = from.reportsKernelFailures;
    computesOnHost = from.computesOnHost;
    properties = from.properties;
  }

  private static long atLeast(String what, long value, long least) {
    if (value < least) {
      throw new HalException(Status.OUT_OF_RANGE, what + " " + value + ": needs at least " + least);
    }
    return value;
  }

  /**
   * Returns a builder for a device. The required properties are {@link Builder#name}, {@link
   * Builder#uuid}, {@link Builder#memoryBytes}, {@link Builder#maxWorkgroupCount} and {@link
   * Builder#maxWorkgroupItems}.
   *
   * @param driver the name of the driver
   * @param index the device's position in the driver's list, from 0
   * @throws HalException OUT_OF_RANGE if {@code index} is negative
   */
  public static Builder builder(String driver, int index) {
    return new Builder(driver, index);
  }

  /** Returns a builder that starts with the properties of this device. */
  public Builder toBuilder() {
    Builder copy = new Builder(driver, index);
    copy.name = name;
    copy.uuid = uuid;
    copy.pciAddress = pciAddress;
    copy.memoryBytes = memoryBytes;
    copy.maxAllocationBytes = maxAllocationBytes;
    copy.maxWorkgroupCount = maxWorkgroupCount;
    copy.maxWorkgroupItems = maxWorkgroupItems;
    copy.maxWorkgroupSize = maxWorkgroupSize;
    copy.maxSharedMemory = maxSharedMemory;
    copy.maxArgumentBytes = maxArgumentBytes;
    copy.maxQueues = maxQueues;
    copy.reportsKernelFailures = reportsKernelFailures;
    copy.computesOnHost = computesOnHost;
    copy.properties = properties;
    return copy;
  }

  /** Returns the name of the device's driver. */
  public String driver() {
    return driver;
  }

  /** Returns the device's position in the driver's list, from 0. */
  public int index() {
    return index;
  }

  /** Returns the vendor's name for the device. */
  public String name() {
    return name;
  }

  /**
   * Returns the identifier of this particular device, in the form that the driver uses; compared
   * without regard to case.
   */
  public String uuid() {
    return uuid;
  }

  /**
   * Returns the PCI address, {@code domain:bus:device.function} in lower-case hexadecimal, or null
   * if the device is not on a PCI bus.
   */
  public @Nullable String pciAddress() {
    return pciAddress;
  }

  /** Returns the size of the device's memory, in bytes. */
  public long memoryBytes() {
    return memoryBytes;
  }

  /**
   * Returns the size of the largest buffer of {@link MemoryType#DEVICE} or {@link
   * MemoryType#SHARED} memory, in bytes; at most {@link #memoryBytes()}. A larger buffer gets
   * RESOURCE_EXHAUSTED. So may one of this size or below, because other buffers occupy memory too.
   */
  public long maxAllocationBytes() {
    return maxAllocationBytes;
  }

  /**
   * Returns the maximum number of workgroups of a dispatch along each axis. A larger grid gets
   * OUT_OF_RANGE. A device may also limit the number of work items along an axis, so a kernel may
   * allow fewer workgroups.
   */
  public Workgroups maxWorkgroupCount() {
    return maxWorkgroupCount;
  }

  /**
   * Returns the maximum number of work items of a workgroup, over all axes. Loading a kernel with
   * larger workgroups gets OUT_OF_RANGE. A kernel may allow fewer if it needs many registers or
   * much shared memory.
   */
  public int maxWorkgroupItems() {
    return maxWorkgroupItems;
  }

  /**
   * Returns the maximum number of work items of a workgroup along each axis, each at most {@link
   * #maxWorkgroupItems()}. Loading a kernel with larger workgroups gets OUT_OF_RANGE.
   */
  public Workgroups maxWorkgroupSize() {
    return maxWorkgroupSize;
  }

  /**
   * Returns the maximum shared memory of a workgroup, in bytes: the sum of what the kernel's code
   * declares and what the manifest adds. Loading a kernel that needs more gets OUT_OF_RANGE. {@link
   * Integer#MAX_VALUE} if the device has no limit.
   */
  public int maxSharedMemory() {
    return maxSharedMemory;
  }

  /**
   * Returns the maximum size of a kernel's arguments, in bytes: constants, structs, and 8 bytes for
   * the address of each buffer, with the padding that C puts between the members of a struct.
   * Loading a kernel that takes more gets OUT_OF_RANGE. {@link Integer#MAX_VALUE} if the device has
   * no limit, or if only the compiler of its kernels knows it.
   */
  public int maxArgumentBytes() {
    return maxArgumentBytes;
  }

  /**
   * Returns the maximum number of queues, and so of native streams, with which the device can be
   * opened; {@link Integer#MAX_VALUE} if the device itself has no limit. Opening it with more gets
   * OUT_OF_RANGE.
   */
  public int maxQueues() {
    return maxQueues;
  }

  /**
   * Returns whether an operation fails if one of its kernels aborts: after a failed assertion, a
   * trap, or an access outside the device's memory. If not, the device does not detect this, and
   * the effects of such an operation are undefined.
   */
  public boolean reportsKernelFailures() {
    return reportsKernelFailures;
  }

  /**
   * Returns whether the processors of the host compute, and no hardware of the device's own. Such a
   * device is no accelerator ({@link DriverRegistry#openAccelerator}), and is a default device only
   * if there is none.
   */
  public boolean computesOnHost() {
    return computesOnHost;
  }

  /** Returns further properties, by name, for display. */
  public Map<String, String> properties() {
    return properties;
  }

  /** Returns the URI that opens this device: {@code driver://index}. */
  public String uri() {
    return driver + "://" + index;
  }

  /**
   * Returns the URI {@code driver://uuid}. It identifies this particular device in every process,
   * even in one that sees fewer devices or numbers them differently.
   *
   * @param options the options of the URI
   */
  public DeviceUri stableUri(Map<String, String> options) {
    return new DeviceUri(driver, uuid, options);
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
        driver,
        index,
        name,
        uuid,
        pciAddress,
        memoryBytes,
        maxAllocationBytes,
        maxWorkgroupCount,
        maxWorkgroupItems,
        maxWorkgroupSize,
        maxSharedMemory,
        maxArgumentBytes,
        maxQueues,
        reportsKernelFailures,
        computesOnHost,
        properties);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeviceInfo info && values().equals(info.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return uri() + " (" + name + ")";
  }

  /** Collects the properties of a device. Not thread-safe. */
  public static final class Builder {
    private final String driver;
    private final int index;
    private @Nullable String name;
    private @Nullable String uuid;
    private @Nullable String pciAddress;
    private long memoryBytes = -1;
    private long maxAllocationBytes = Long.MAX_VALUE;
    private @Nullable Workgroups maxWorkgroupCount;
    private int maxWorkgroupItems;
    private Workgroups maxWorkgroupSize =
        new Workgroups(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
    private int maxSharedMemory = Integer.MAX_VALUE;
    private int maxArgumentBytes = Integer.MAX_VALUE;
    private int maxQueues = Integer.MAX_VALUE;
    private boolean reportsKernelFailures = true;
    private boolean computesOnHost;
    private Map<String, String> properties = Map.of();

    private Builder(String driver, int index) {
      this.driver = Objects.requireNonNull(driver, "driver");
      this.index = (int) atLeast("index", index, 0);
    }

    /** Sets the vendor's name for the device. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Sets the identifier of this particular device, which must not change when the machine
     * restarts.
     */
    public Builder uuid(String value) {
      uuid = value;
      return this;
    }

    /**
     * Sets the PCI address, {@code domain:bus:device.function} in lower-case hexadecimal. The
     * default is null: the device is not on a PCI bus.
     */
    public Builder pciAddress(@Nullable String value) {
      pciAddress = value;
      return this;
    }

    /** Sets the size of the device's memory, in bytes; at least 0. */
    public Builder memoryBytes(long value) {
      memoryBytes = value;
      return this;
    }

    /**
     * Sets the size of the largest buffer in the device's memory, in bytes; at least 0. A value
     * above the size of the memory stands for that size, which is also the default.
     */
    public Builder maxAllocationBytes(long value) {
      maxAllocationBytes = value;
      return this;
    }

    /** Sets the maximum number of workgroups of a dispatch along each axis. */
    public Builder maxWorkgroupCount(Workgroups value) {
      maxWorkgroupCount = value;
      return this;
    }

    /** Sets the maximum number of work items of a workgroup, over all axes; at least 1. */
    public Builder maxWorkgroupItems(int value) {
      maxWorkgroupItems = value;
      return this;
    }

    /**
     * Sets the maximum number of work items of a workgroup along each axis; at least 1 each. A
     * value above {@link #maxWorkgroupItems} stands for that number, which is also the default.
     */
    public Builder maxWorkgroupSize(Workgroups value) {
      maxWorkgroupSize = Objects.requireNonNull(value, "maxWorkgroupSize");
      return this;
    }

    /**
     * Sets the maximum shared memory of a workgroup, in bytes; at least 0. The default is {@link
     * Integer#MAX_VALUE}: no limit.
     */
    public Builder maxSharedMemory(int value) {
      maxSharedMemory = value;
      return this;
    }

    /**
     * Sets the maximum size of a kernel's arguments, in bytes; at least 0. The default is {@link
     * Integer#MAX_VALUE}: no limit.
     */
    public Builder maxArgumentBytes(int value) {
      maxArgumentBytes = value;
      return this;
    }

    /** Sets the maximum number of queues; at least 1. By default, the device has no limit. */
    public Builder maxQueues(int value) {
      maxQueues = value;
      return this;
    }

    /**
     * Sets whether an operation fails if one of its kernels aborts. The default is true; a driver
     * whose runtime does not report this sets false.
     */
    public Builder reportsKernelFailures(boolean value) {
      reportsKernelFailures = value;
      return this;
    }

    /** Sets whether the processors of the host compute. The default is false. */
    public Builder computesOnHost(boolean value) {
      computesOnHost = value;
      return this;
    }

    /**
     * Sets further properties, by name, for display. There are none by default. The map is copied.
     */
    public Builder properties(Map<String, String> value) {
      properties = Map.copyOf(value);
      return this;
    }

    /**
     * Returns the properties.
     *
     * @throws NullPointerException that names the property, if a required one is missing
     * @throws HalException OUT_OF_RANGE if a number is missing or out of its range
     */
    public DeviceInfo build() {
      return new DeviceInfo(this);
    }
  }
}
