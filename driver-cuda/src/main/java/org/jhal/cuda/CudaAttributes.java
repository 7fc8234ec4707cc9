// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import com.sun.jna.Function;
import java.util.Arrays;
import java.util.Map;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuProperties;

/** Queries the driver API for the properties of devices, without a context. */
final class CudaAttributes extends DeviceReader {
  // From cuda.h: enum CUdevice_attribute.
  private static final Attributes ATTRIBUTES =
      new Attributes(
          1, // MAX_THREADS_PER_BLOCK
          2, // MAX_BLOCK_DIM_X
          5, // MAX_GRID_DIM_X
          97, // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
          16, // MULTIPROCESSOR_COUNT
          95, // COOPERATIVE_LAUNCH
          50, // PCI_DOMAIN_ID
          33, // PCI_BUS_ID
          34); // PCI_DEVICE_ID
  private static final int CAPABILITY_MAJOR = 75;
  private static final int CAPABILITY_MINOR = 76;

  private static final String ARCHITECTURE = "sm_";

  CudaAttributes() {
    super(CudaDriver.library(), ATTRIBUTES);
  }

  /**
   * Each instance of a multi-instance GPU has a uuid of its own, which only drivers for CUDA 11.4
   * and newer report. Formatted as by nvidia-smi.
   */
  @Override
  protected String uuid(int ordinal) {
    byte[] gpu = uuidBytes(ordinal);
    Function query = library().library().optional("cuDeviceGetUuid_v2");
    if (query != null) {
      byte[] own = new byte[UUID_BYTES];
      int code = query.invokeInt(new Object[] {own, ordinal});
      CudaResult.CODES.check("deviceGetUuid_v2", code);
      if (!Arrays.equals(own, gpu)) {
        return GpuProperties.uuid("MIG-", own);
      }
    }
    return GpuProperties.uuid("GPU-", gpu);
  }

  @Override
  protected String architecture(int ordinal) {
    return ARCHITECTURE
        + attribute(ordinal, CAPABILITY_MAJOR)
        + attribute(ordinal, CAPABILITY_MINOR);
  }

  /** The compute capability as a number, major version times ten plus minor: 90 for sm_90. */
  static int capability(String architecture) {
    return Integer.parseInt(architecture.substring(ARCHITECTURE.length()));
  }

  @Override
  protected Map<String, String> properties(int ordinal) {
    return Map.of(
        "compute capability",
        attribute(ordinal, CAPABILITY_MAJOR) + "." + attribute(ordinal, CAPABILITY_MINOR),
        "driver API",
        library().title());
  }
}
