package org.jhal.driver.gpu;

import java.util.HashMap;
import java.util.Map;
import org.jhal.DeviceInfo;
import org.jhal.HalException;
import org.jhal.Workgroups;

/**
 * Asks a runtime what is known of its devices, which need not be open. A subclass maps the native
 * calls; each throws a {@link HalException} where its call fails.
 */
public abstract class DeviceReader {
  private static final int NAME_BYTES = 256;
  private static final int UUID_BYTES = 16;

  /**
   * The numbers that a runtime gives to attributes of a device.
   *
   * @param workgroupItems the most work items of a workgroup
   * @param workgroupX the most of them along the first axis; the next two numbers are those of the
   *     other axes
   * @param gridX the most workgroups along the first axis, likewise
   * @param sharedMemory the most of a workgroup, in bytes
   * @param multiprocessors how many there are
   * @param pciDomain of its PCI address
   * @param pciBus of its PCI address
   * @param pciDevice of its PCI address
   */
  public record Attributes(
      int workgroupItems,
      int workgroupX,
      int gridX,
      int sharedMemory,
      int multiprocessors,
      int pciDomain,
      int pciBus,
      int pciDevice) {}

  private final String driver;
  private final Attributes attributes;

  /** For the driver of this name. */
  protected DeviceReader(String driver, Attributes attributes) {
    this.driver = driver;
    this.attributes = attributes;
  }

  /** An attribute of a device. */
  protected abstract int attribute(int ordinal, int attribute);

  /** Writes a device's name, which ends with a zero or with the buffer. */
  protected abstract void readName(int ordinal, byte[] name);

  /** Writes the 16 bytes of a device's uuid; see {@link GpuProperties#uuid}. */
  protected abstract void readUuid(int ordinal, byte[] uuid);

  /** How much memory a device has, in bytes. */
  protected abstract long memoryBytes(int ordinal);

  /** What the vendor's tools call the instruction set of a device. */
  protected abstract String architecture(int ordinal);

  /** What else there is to tell, for people. */
  protected abstract Map<String, String> properties(int ordinal);

  final GpuProperties read(int ordinal) {
    byte[] name = new byte[NAME_BYTES];
    readName(ordinal, name);
    byte[] uuid = new byte[UUID_BYTES];
    readUuid(ordinal, uuid);
    Map<String, String> properties = new HashMap<>(properties(ordinal));
    properties.put(
        "multiprocessors", String.valueOf(attribute(ordinal, attributes.multiprocessors)));
    DeviceInfo info =
        DeviceInfo.builder(driver, ordinal)
            .name(GpuProperties.text(name))
            .uuid(GpuProperties.uuid(uuid))
            .pciAddress(
                GpuProperties.pciAddress(
                    attribute(ordinal, attributes.pciDomain),
                    attribute(ordinal, attributes.pciBus),
                    attribute(ordinal, attributes.pciDevice)))
            .memoryBytes(memoryBytes(ordinal))
            .maxWorkgroupCount(axes(ordinal, attributes.gridX))
            .maxWorkgroupItems(attribute(ordinal, attributes.workgroupItems))
            .maxWorkgroupSize(axes(ordinal, attributes.workgroupX))
            .properties(properties)
            .build();
    return new GpuProperties(
        ordinal, architecture(ordinal), attribute(ordinal, attributes.sharedMemory), info);
  }

  private Workgroups axes(int ordinal, int first) {
    return new Workgroups(
        attribute(ordinal, first), attribute(ordinal, first + 1), attribute(ordinal, first + 2));
  }
}
