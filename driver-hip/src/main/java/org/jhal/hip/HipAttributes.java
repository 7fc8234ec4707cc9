package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;

import java.util.Map;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.hip.jna.HipRuntime;

/** Queries the runtime for the properties of devices, which need not be open. */
final class HipAttributes extends DeviceReader {
  private final HipLibrary library;

  HipAttributes(HipLibrary library) {
    super(
        HipDriverProvider.NAME,
        new Attributes(
            hipDeviceAttributeMaxThreadsPerBlock,
            hipDeviceAttributeMaxBlockDimX,
            hipDeviceAttributeMaxGridDimX,
            hipDeviceAttributeMaxSharedMemoryPerBlock,
            hipDeviceAttributeMultiprocessorCount,
            hipDeviceAttributePciDomainID,
            hipDeviceAttributePciBusId,
            hipDeviceAttributePciDeviceId));
    this.library = library;
  }

  @Override
  protected int attribute(int ordinal, int attribute) {
    int[] value = new int[1];
    HipResult.CODES.check(
        "hipDeviceGetAttribute", HipRuntime.hipDeviceGetAttribute(value, attribute, ordinal));
    return value[0];
  }

  @Override
  protected void readName(int ordinal, byte[] name) {
    HipResult.CODES.check(
        "hipDeviceGetName", HipRuntime.hipDeviceGetName(name, name.length, ordinal));
  }

  @Override
  protected String uuid(int ordinal) {
    byte[] uuid = new byte[UUID_BYTES];
    HipResult.CODES.check("hipDeviceGetUuid", HipRuntime.hipDeviceGetUuid(uuid, ordinal));
    return GpuProperties.uuid("GPU-", uuid);
  }

  @Override
  protected long memoryBytes(int ordinal) {
    long[] bytes = new long[1];
    HipResult.CODES.check("hipDeviceTotalMem", HipRuntime.hipDeviceTotalMem(bytes, ordinal));
    return bytes[0];
  }

  @Override
  protected String architecture(int ordinal) {
    return HipArchitecture.of(library.library(), ordinal);
  }

  @Override
  protected boolean canAccess(int ordinal, int owner) {
    int[] value = new int[1];
    HipResult.CODES.check(
        "hipDeviceCanAccessPeer", HipRuntime.hipDeviceCanAccessPeer(value, ordinal, owner));
    return value[0] != 0;
  }

  @Override
  protected Map<String, String> properties(int ordinal) {
    return Map.of(
        "architecture", architecture(ordinal),
        "wavefront size", String.valueOf(attribute(ordinal, hipDeviceAttributeWarpSize)),
        "runtime", "HIP " + library.version(),
        "library", library.path(),
        "graphs", library.graphs());
  }
}
