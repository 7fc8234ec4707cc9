package org.jhal.cuda;

import com.sun.jna.Function;
import java.util.Arrays;
import java.util.Map;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.GpuProperties;

/** Queries the driver API for the properties of devices, without a context. */
final class CudaAttributes extends DeviceReader {
  // From cuda.h: enum CUdevice_attribute.
  private static final int MAX_THREADS_PER_BLOCK = 1;
  private static final int MAX_BLOCK_DIM_X = 2;
  private static final int MAX_GRID_DIM_X = 5;
  private static final int MULTIPROCESSOR_COUNT = 16;
  private static final int PCI_BUS = 33;
  private static final int PCI_DEVICE = 34;
  private static final int PCI_DOMAIN = 50;
  private static final int CAPABILITY_MAJOR = 75;
  private static final int CAPABILITY_MINOR = 76;
  private static final int MAX_SHARED_MEMORY_OPTIN = 97;

  private static final String ARCHITECTURE = "sm_";

  private final CudaLibrary library;

  CudaAttributes(CudaLibrary library) {
    super(
        CudaDriverProvider.NAME,
        CudaResult.CODES,
        new Attributes(
            MAX_THREADS_PER_BLOCK,
            MAX_BLOCK_DIM_X,
            MAX_GRID_DIM_X,
            MAX_SHARED_MEMORY_OPTIN,
            MULTIPROCESSOR_COUNT,
            PCI_DOMAIN,
            PCI_BUS,
            PCI_DEVICE));
    this.library = library;
  }

  /**
   * Each instance of a multi-instance GPU has a uuid of its own, which only drivers for CUDA 11.4
   * and newer report. Formatted as by nvidia-smi.
   */
  @Override
  protected String uuid(int ordinal) {
    byte[] gpu = uuidBytes(ordinal);
    Function query = library.optional("cuDeviceGetUuid_v2");
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
        "CUDA " + library.version(),
        "library",
        library.path(),
        "graphs",
        library.graphs());
  }
}
