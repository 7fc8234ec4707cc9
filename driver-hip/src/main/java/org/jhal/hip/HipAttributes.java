package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;

import java.util.Map;
import org.jhal.gpu.natives.DeviceReader;

/** Reads the properties of devices, which need not be open. */
final class HipAttributes extends DeviceReader {
  HipAttributes() {
    super(
        HipLibrary.load(),
        new Attributes(
            hipDeviceAttributeMaxThreadsPerBlock,
            hipDeviceAttributeMaxBlockDimX,
            hipDeviceAttributeMaxGridDimX,
            hipDeviceAttributeMaxSharedMemoryPerBlock,
            hipDeviceAttributeMultiprocessorCount,
            hipDeviceAttributePciDomainID,
            hipDeviceAttributePciBusId,
            hipDeviceAttributePciDeviceId));
  }

  @Override
  protected String architecture(int ordinal) {
    return HipArchitecture.of(library().library(), ordinal);
  }

  @Override
  protected Map<String, String> properties(int ordinal) {
    return Map.of(
        "architecture", architecture(ordinal),
        "wavefront size", String.valueOf(attribute(ordinal, hipDeviceAttributeWarpSize)),
        "runtime", library().title());
  }
}
