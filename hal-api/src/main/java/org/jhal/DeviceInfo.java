package org.jhal;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a device, known before it is opened. A driver makes it with {@link #builder},
 * so that properties added later need no change in a driver.
 *
 * <p>Immutable; any thread may use it. Two are equal if all their properties are.
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
  private final int maxQueues;
  private final boolean tellsKernelFailures;
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
    maxQueues = (int) atLeast("maxQueues", from.maxQueues, 1);
    tellsKernelFailures = from.tellsKernelFailures;
    properties = from.properties;
  }

  private static long atLeast(String what, long value, long least) {
    if (value < least) {
      throw new HalException(Status.OUT_OF_RANGE, what + " " + value + ": needs at least " + least);
    }
    return value;
  }

  /**
   * Starts a description of a device. Required are {@link Builder#name}, {@link Builder#uuid},
   * {@link Builder#memoryBytes}, {@link Builder#maxWorkgroupCount} and {@link
   * Builder#maxWorkgroupItems}.
   *
   * @param driver the name of the driver
   * @param index the device's place in the driver's list, from 0
   */
  public static Builder builder(String driver, int index) {
    return new Builder(driver, index);
  }

  /** A builder that starts with the properties of this device. */
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
    copy.maxQueues = maxQueues;
    copy.tellsKernelFailures = tellsKernelFailures;
    copy.properties = properties;
    return copy;
  }

  /** The name of the device's driver. */
  public String driver() {
    return driver;
  }

  /** The device's place in the driver's list, from 0. */
  public int index() {
    return index;
  }

  /** The vendor's name for the device. */
  public String name() {
    return name;
  }

  /** Identifies this very device, as the driver writes it; compared without regard to case. */
  public String uuid() {
    return uuid;
  }

  /**
   * The PCI address, {@code domain:bus:device.function} in lower-case hexadecimal, or null if the
   * device is not on a PCI bus.
   */
  public @Nullable String pciAddress() {
    return pciAddress;
  }

  /** The size of the device's memory, in bytes. */
  public long memoryBytes() {
    return memoryBytes;
  }

  /**
   * The largest buffer of {@link MemoryType#DEVICE} or {@link MemoryType#SHARED} memory, in bytes;
   * at most {@link #memoryBytes()}. A larger one gets RESOURCE_EXHAUSTED. A buffer of this size may
   * still not fit, since other buffers take memory as well.
   */
  public long maxAllocationBytes() {
    return maxAllocationBytes;
  }

  /**
   * The maximum number of workgroups of a dispatch along each axis. A larger grid gets
   * OUT_OF_RANGE.
   */
  public Workgroups maxWorkgroupCount() {
    return maxWorkgroupCount;
  }

  /**
   * The maximum number of work items of a workgroup, all axes together. Loading a kernel with
   * larger workgroups gets OUT_OF_RANGE. A single kernel may allow fewer, if it needs many
   * registers or much shared memory.
   */
  public int maxWorkgroupItems() {
    return maxWorkgroupItems;
  }

  /**
   * The maximum number of work items of a workgroup along each axis, each at most {@link
   * #maxWorkgroupItems()}. Loading a kernel with larger workgroups gets OUT_OF_RANGE.
   */
  public Workgroups maxWorkgroupSize() {
    return maxWorkgroupSize;
  }

  /**
   * The maximum shared memory of a workgroup, in bytes: what the kernel's code declares and what
   * the manifest adds. Loading a kernel that needs more gets OUT_OF_RANGE. {@link
   * Integer#MAX_VALUE} if the device sets no limit.
   */
  public int maxSharedMemory() {
    return maxSharedMemory;
  }

  /**
   * The maximum number of queues, and so of native streams, with which the device can be opened;
   * {@link Integer#MAX_VALUE} if the device itself does not limit them. Opening it with more gets
   * OUT_OF_RANGE.
   */
  public int maxQueues() {
    return maxQueues;
  }

  /**
   * Whether an operation fails if one of its kernels gives up: after a failed assertion, a trap, or
   * an access outside of the device's memory. If not, the device does not notice, and what such an
   * operation has done is undefined.
   */
  public boolean tellsKernelFailures() {
    return tellsKernelFailures;
  }

  /** Further properties, by name, for people. */
  public Map<String, String> properties() {
    return properties;
  }

  /** The URI that opens this device: {@code driver://index}. */
  public String uri() {
    return driver + "://" + index;
  }

  /**
   * The URI {@code driver://uuid}. It names this very device in every process, also in one that
   * sees fewer devices or numbers them in another way.
   *
   * @param options that the URI is to have
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
        maxQueues,
        tellsKernelFailures,
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
    private int maxQueues = Integer.MAX_VALUE;
    private boolean tellsKernelFailures = true;
    private Map<String, String> properties = Map.of();

    private Builder(String driver, int index) {
      this.driver = Objects.requireNonNull(driver, "driver");
      this.index = (int) atLeast("index", index, 0);
    }

    /** The vendor's name for the device. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /** Identifies this very device, and stays the same when the machine restarts. */
    public Builder uuid(String value) {
      uuid = value;
      return this;
    }

    /**
     * The PCI address, {@code domain:bus:device.function} in lower-case hexadecimal. By default
     * null: the device is not on a PCI bus.
     */
    public Builder pciAddress(@Nullable String value) {
      pciAddress = value;
      return this;
    }

    /** The size of the device's memory, in bytes; at least 0. */
    public Builder memoryBytes(long value) {
      memoryBytes = value;
      return this;
    }

    /**
     * The largest buffer in the device's memory, in bytes; at least 0. A value above the size of
     * the memory means that size, which is also the default.
     */
    public Builder maxAllocationBytes(long value) {
      maxAllocationBytes = value;
      return this;
    }

    /** The maximum number of workgroups of a dispatch along each axis. */
    public Builder maxWorkgroupCount(Workgroups value) {
      maxWorkgroupCount = value;
      return this;
    }

    /** The maximum number of work items of a workgroup, all axes together; at least 1. */
    public Builder maxWorkgroupItems(int value) {
      maxWorkgroupItems = value;
      return this;
    }

    /**
     * The maximum number of work items of a workgroup along each axis; at least 1 each. A value
     * above {@link #maxWorkgroupItems} means that number, which is also the default.
     */
    public Builder maxWorkgroupSize(Workgroups value) {
      maxWorkgroupSize = Objects.requireNonNull(value, "maxWorkgroupSize");
      return this;
    }

    /**
     * The maximum shared memory of a workgroup, in bytes; at least 0. By default {@link
     * Integer#MAX_VALUE}: no limit.
     */
    public Builder maxSharedMemory(int value) {
      maxSharedMemory = value;
      return this;
    }

    /** The maximum number of queues; at least 1. By default the device does not limit them. */
    public Builder maxQueues(int value) {
      maxQueues = value;
      return this;
    }

    /**
     * Whether an operation fails if one of its kernels gives up. By default true; a driver whose
     * runtime tells nothing of that says false.
     */
    public Builder tellsKernelFailures(boolean value) {
      tellsKernelFailures = value;
      return this;
    }

    /** Further properties, by name, for people. By default none. */
    public Builder properties(Map<String, String> value) {
      properties = Map.copyOf(value);
      return this;
    }

    /**
     * Makes the description.
     *
     * @throws NullPointerException if a required property is missing, which it names
     * @throws HalException OUT_OF_RANGE if a number is missing or out of its range
     */
    public DeviceInfo build() {
      return new DeviceInfo(this);
    }
  }
}
