// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Native;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jhal.DeviceInfo;
import org.jhal.HalException;
import org.jhal.Workgroups;

/**
 * Reads the properties of a runtime's devices, which need not be open. A subclass adds a vendor's
 * specifics. Each method throws a {@link HalException} if its call fails.
 */
public abstract class DeviceReader {
  private static final int NAME_BYTES = 256;

  /** How many bytes a uuid has. */
  protected static final int UUID_BYTES = 16;

  /**
   * The attribute numbers of a runtime, each for one property of a device.
   *
   * @param workgroupItems the maximum number of work items of a workgroup
   * @param workgroupX that number along the first axis; the next two attribute numbers are for the
   *     other axes
   * @param gridX the maximum number of workgroups along the first axis; the next two attribute
   *     numbers are for the other axes
   * @param sharedMemory the maximum shared memory of a workgroup, in bytes, including the part that
   *     a kernel must request
   * @param multiprocessors the number of multiprocessors
   * @param cooperative whether the device runs all workgroups of a launch at the same time on
   *     request
   * @param pciDomain the domain of its PCI address
   * @param pciBus the bus of its PCI address
   * @param pciDevice the device of its PCI address
   */
  public record Attributes(
      int workgroupItems,
      int workgroupX,
      int gridX,
      int sharedMemory,
      int multiprocessors,
      int cooperative,
      int pciDomain,
      int pciBus,
      int pciDevice) {}

  private final GpuLibrary library;
  private final ResultCodes codes;
  private final GpuSetup setup;
  private final Attributes attributes;

  /** For the devices of a runtime. */
  protected DeviceReader(GpuLibrary library, Attributes attributes) {
    this.library = library;
    this.codes = library.vendor().codes();
    this.setup = codes.functions().setup();
    this.attributes = attributes;
  }

  /** The runtime of the devices. */
  protected final GpuLibrary library() {
    return library;
  }

  /** The value of an attribute of a device. */
  protected final int attribute(int ordinal, int attribute) {
    int[] value = new int[1];
    codes.check("deviceGetAttribute", setup.deviceGetAttribute(value, attribute, ordinal));
    return value[0];
  }

  /** A device's uuid as bytes. */
  protected final byte[] uuidBytes(int ordinal) {
    byte[] uuid = new byte[UUID_BYTES];
    codes.check("deviceGetUuid", setup.deviceGetUuid(uuid, ordinal));
    return uuid;
  }

  /** A device's uuid as the vendor's tools write it. */
  protected String uuid(int ordinal) {
    return GpuProperties.uuid("GPU-", uuidBytes(ordinal));
  }

  private long memoryBytes(int ordinal) {
    long[] bytes = new long[1];
    codes.check("deviceTotalMem", setup.deviceTotalMem(bytes, ordinal));
    return bytes[0];
  }

  /** False if the call fails. */
  private boolean canAccess(int ordinal, int owner) {
    int[] value = new int[1];
    codes.check("deviceCanAccessPeer", setup.deviceCanAccessPeer(value, ordinal, owner));
    return value[0] != 0;
  }

  /** The vendor's name for the instruction set of a device. */
  protected abstract String architecture(int ordinal);

  /** Further properties of a device, by name, for people. */
  protected abstract Map<String, String> properties(int ordinal);

  /**
   * Reads the properties of a device.
   *
   * @param count how many devices there are
   */
  public final GpuProperties read(int ordinal, int count) {
    byte[] name = new byte[NAME_BYTES];
    codes.check("deviceGetName", setup.deviceGetName(name, NAME_BYTES, ordinal));
    Map<String, String> properties = new HashMap<>(properties(ordinal));
    int multiprocessors = attribute(ordinal, attributes.multiprocessors);
    boolean isCooperative = attribute(ordinal, attributes.cooperative) != 0;
    properties.put("multiprocessors", String.valueOf(multiprocessors));
    properties.put("library", library.library().path());
    properties.put("graphs", library.graphs());
    PeerAccess peers = PeerAccess.ask(ordinal, count, owner -> canAccess(ordinal, owner));
    properties.put("memory of other devices", peers.toString());
    DeviceInfo info =
        DeviceInfo.builder(library.vendor().driver(), ordinal)
            .name(Native.toString(name, StandardCharsets.UTF_8))
            .uuid(uuid(ordinal))
            .pciAddress(
                GpuProperties.pciAddress(
                    attribute(ordinal, attributes.pciDomain),
                    attribute(ordinal, attributes.pciBus),
                    attribute(ordinal, attributes.pciDevice)))
            .memoryBytes(memoryBytes(ordinal))
            .maxWorkgroupCount(axes(ordinal, attributes.gridX))
            .maxWorkgroupItems(attribute(ordinal, attributes.workgroupItems))
            .maxWorkgroupSize(axes(ordinal, attributes.workgroupX))
            .maxSharedMemory(attribute(ordinal, attributes.sharedMemory))
            .properties(properties)
            .build();
    return new GpuProperties(
        ordinal, architecture(ordinal), peers, multiprocessors, isCooperative, info);
  }

  private Workgroups axes(int ordinal, int first) {
    return new Workgroups(
        attribute(ordinal, first), attribute(ordinal, first + 1), attribute(ordinal, first + 2));
  }
}
