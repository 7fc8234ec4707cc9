package org.jhal.cuda;

import java.util.Locale;
import java.util.Map;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jhal.DeviceInfo;
import org.jhal.Workgroups;

/**
 * What is known of a device without a context.
 *
 * @param ordinal its number, from 0
 * @param capability major version times ten plus minor: 90 for an H200
 * @param maxBlock the largest workgroup along each axis
 * @param maxSharedMemory of a workgroup that asks for more than the default, in bytes
 * @param info for users
 */
record CudaAttributes(
    int ordinal, int capability, Workgroups maxBlock, int maxSharedMemory, DeviceInfo info) {
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

  /** Asks the driver API. */
  static CudaAttributes read(CudaLibrary library, String driver, int ordinal) {
    CUdevice device = new CUdevice();
    CudaResult.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
    int major = attribute(device, CAPABILITY_MAJOR);
    int minor = attribute(device, CAPABILITY_MINOR);
    long[] memory = new long[1];
    CudaResult.check("cuDeviceTotalMem", CudaExtras.cuDeviceTotalMem_v2(memory, ordinal));
    String pci =
        String.format(
            Locale.ROOT,
            "%04x:%02x:%02x.0",
            attribute(device, PCI_DOMAIN),
            attribute(device, PCI_BUS),
            attribute(device, PCI_DEVICE));
    DeviceInfo info =
        new DeviceInfo(
            driver,
            ordinal,
            name(device),
            uuid(ordinal),
            pci,
            memory[0],
            axes(device, MAX_GRID_DIM_X),
            attribute(device, MAX_THREADS_PER_BLOCK),
            Map.of(
                "compute capability",
                major + "." + minor,
                "multiprocessors",
                String.valueOf(attribute(device, MULTIPROCESSOR_COUNT)),
                "driver API",
                "CUDA " + library.version(),
                "library",
                library.path()));
    return new CudaAttributes(
        ordinal,
        10 * major + minor,
        axes(device, MAX_BLOCK_DIM_X),
        attribute(device, MAX_SHARED_MEMORY_OPTIN),
        info);
  }

  /** The same with less memory. */
  CudaAttributes withMemory(long bytes) {
    DeviceInfo limited =
        new DeviceInfo(
            info.driver(),
            info.index(),
            info.name(),
            info.uuid(),
            info.pciAddress(),
            Math.min(bytes, info.memoryBytes()),
            info.maxWorkgroupCount(),
            info.maxWorkgroupSize(),
            info.properties());
    return new CudaAttributes(ordinal, capability, maxBlock, maxSharedMemory, limited);
  }

  /** {@code sm_90}. */
  String architecture() {
    return "sm_" + capability;
  }

  private static int attribute(CUdevice device, int attribute) {
    int[] value = new int[1];
    CudaResult.check(
        "cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
    return value[0];
  }

  /** Three attributes with consecutive numbers. */
  private static Workgroups axes(CUdevice device, int first) {
    return new Workgroups(
        attribute(device, first), attribute(device, first + 1), attribute(device, first + 2));
  }

  private static String name(CUdevice device) {
    byte[] name = new byte[256];
    CudaResult.check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, name.length, device));
    int length = 0;
    while (length < name.length && name[length] != 0) {
      length++;
    }
    return new String(name, 0, length, java.nio.charset.StandardCharsets.UTF_8);
  }

  /** As the vendor's tools write it: {@code GPU-}, then all 16 bytes. */
  private static String uuid(int ordinal) {
    byte[] bytes = new byte[16];
    CudaResult.check("cuDeviceGetUuid", CudaExtras.cuDeviceGetUuid(bytes, ordinal));
    StringBuilder text = new StringBuilder("GPU-");
    for (int i = 0; i < bytes.length; i++) {
      if (i == 4 || i == 6 || i == 8 || i == 10) {
        text.append('-');
      }
      text.append(String.format(Locale.ROOT, "%02x", bytes[i]));
    }
    return text.toString();
  }
}
