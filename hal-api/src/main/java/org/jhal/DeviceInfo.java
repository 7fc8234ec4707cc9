package org.jhal;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a device before it is opened.
 *
 * @param driver the name of its driver
 * @param index its place in the driver's list, from 0
 * @param name what its vendor calls it
 * @param uuid identifies this very device; as the driver writes it, compared without regard to case
 * @param pciAddress {@code domain:bus:device.function} in lower-case hexadecimal, or null if it is
 *     not on that bus
 * @param memoryBytes how much memory it has
 * @param maxWorkgroupCount the largest grid along each axis
 * @param maxWorkgroupSize how many work items a workgroup may have
 * @param properties what else the driver tells, by name, for people
 */
public record DeviceInfo(
    String driver,
    int index,
    String name,
    String uuid,
    @Nullable String pciAddress,
    long memoryBytes,
    Workgroups maxWorkgroupCount,
    int maxWorkgroupSize,
    Map<String, String> properties) {
  /** Checks for null and copies the map. */
  public DeviceInfo {
    Objects.requireNonNull(driver, "driver");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(uuid, "uuid");
    Objects.requireNonNull(maxWorkgroupCount, "maxWorkgroupCount");
    Objects.requireNonNull(properties, "properties");
    properties = Map.copyOf(properties);
  }

  /** The URI that opens this device: {@code driver://index}. */
  public String uri() {
    return driver + "://" + index;
  }
}
