package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;

import java.util.Map;
import org.jhal.DeviceInfo;
import org.jhal.Workgroups;
import org.jhal.driver.gpu.GpuProperties;
import org.jhal.hip.jna.HipRuntime;

/** Asks the runtime what is known of a device that is not open. */
final class HipAttributes {
  private HipAttributes() {}

  static GpuProperties read(HipLibrary library, int ordinal) {
    String architecture = HipArchitecture.of(library.library(), ordinal);
    byte[] name = new byte[256];
    HipResult.CODES.check(
        "hipDeviceGetName", HipRuntime.hipDeviceGetName(name, name.length, ordinal));
    byte[] uuid = new byte[16];
    HipResult.CODES.check("hipDeviceGetUuid", HipRuntime.hipDeviceGetUuid(uuid, ordinal));
    long[] memory = new long[1];
    HipResult.CODES.check("hipDeviceTotalMem", HipRuntime.hipDeviceTotalMem(memory, ordinal));
    DeviceInfo info =
        DeviceInfo.builder(HipDriverProvider.NAME, ordinal)
            .name(GpuProperties.text(name))
            .uuid(GpuProperties.uuid(uuid))
            .pciAddress(
                GpuProperties.pciAddress(
                    attribute(ordinal, hipDeviceAttributePciDomainID),
                    attribute(ordinal, hipDeviceAttributePciBusId),
                    attribute(ordinal, hipDeviceAttributePciDeviceId)))
            .memoryBytes(memory[0])
            .maxWorkgroupCount(
                new Workgroups(
                    attribute(ordinal, hipDeviceAttributeMaxGridDimX),
                    attribute(ordinal, hipDeviceAttributeMaxGridDimY),
                    attribute(ordinal, hipDeviceAttributeMaxGridDimZ)))
            .maxWorkgroupItems(attribute(ordinal, hipDeviceAttributeMaxThreadsPerBlock))
            .maxWorkgroupSize(
                new Workgroups(
                    attribute(ordinal, hipDeviceAttributeMaxBlockDimX),
                    attribute(ordinal, hipDeviceAttributeMaxBlockDimY),
                    attribute(ordinal, hipDeviceAttributeMaxBlockDimZ)))
            .properties(
                Map.of(
                    "architecture",
                    architecture,
                    "multiprocessors",
                    String.valueOf(attribute(ordinal, hipDeviceAttributeMultiprocessorCount)),
                    "wavefront size",
                    String.valueOf(attribute(ordinal, hipDeviceAttributeWarpSize)),
                    "runtime",
                    "HIP " + library.version(),
                    "library",
                    library.path()))
            .build();
    return new GpuProperties(
        ordinal, architecture, attribute(ordinal, hipDeviceAttributeMaxSharedMemoryPerBlock), info);
  }

  private static int attribute(int ordinal, int attribute) {
    int[] value = new int[1];
    HipResult.CODES.check(
        "hipDeviceGetAttribute", HipRuntime.hipDeviceGetAttribute(value, attribute, ordinal));
    return value[0];
  }
}
