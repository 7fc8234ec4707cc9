package org.jhal.cuda;

import java.util.Map;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jhal.DeviceInfo;
import org.jhal.Workgroups;
import org.jhal.driver.gpu.GpuProperties;

/** Asks the driver API what is known of a device without a context. */
final class CudaAttributes {
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

  private CudaAttributes() {}

  static GpuProperties read(CudaLibrary library, int ordinal) {
    CUdevice device = new CUdevice();
    CudaResult.CODES.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
    int major = attribute(device, CAPABILITY_MAJOR);
    int minor = attribute(device, CAPABILITY_MINOR);
    long[] memory = new long[1];
    CudaResult.CODES.check("cuDeviceTotalMem", CudaExtras.cuDeviceTotalMem_v2(memory, ordinal));
    byte[] name = new byte[256];
    CudaResult.CODES.check(
        "cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, name.length, device));
    byte[] uuid = new byte[16];
    CudaResult.CODES.check("cuDeviceGetUuid", CudaExtras.cuDeviceGetUuid(uuid, ordinal));
    DeviceInfo info =
        DeviceInfo.builder(CudaDriverProvider.NAME, ordinal)
            .name(GpuProperties.text(name))
            .uuid(GpuProperties.uuid(uuid))
            .pciAddress(
                GpuProperties.pciAddress(
                    attribute(device, PCI_DOMAIN),
                    attribute(device, PCI_BUS),
                    attribute(device, PCI_DEVICE)))
            .memoryBytes(memory[0])
            .maxWorkgroupCount(axes(device, MAX_GRID_DIM_X))
            .maxWorkgroupItems(attribute(device, MAX_THREADS_PER_BLOCK))
            .maxWorkgroupSize(axes(device, MAX_BLOCK_DIM_X))
            .properties(
                Map.of(
                    "compute capability",
                    major + "." + minor,
                    "multiprocessors",
                    String.valueOf(attribute(device, MULTIPROCESSOR_COUNT)),
                    "driver API",
                    "CUDA " + library.version(),
                    "library",
                    library.path()))
            .build();
    return new GpuProperties(
        ordinal, ARCHITECTURE + major + minor, attribute(device, MAX_SHARED_MEMORY_OPTIN), info);
  }

  /** Major version times ten plus minor: 90 for an H200, whose architecture is sm_90. */
  static int capability(GpuProperties device) {
    return Integer.parseInt(device.architecture().substring(ARCHITECTURE.length()));
  }

  private static int attribute(CUdevice device, int attribute) {
    int[] value = new int[1];
    CudaResult.CODES.check(
        "cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
    return value[0];
  }

  /** Three attributes with consecutive numbers. */
  private static Workgroups axes(CUdevice device, int first) {
    return new Workgroups(
        attribute(device, first), attribute(device, first + 1), attribute(device, first + 2));
  }
}
