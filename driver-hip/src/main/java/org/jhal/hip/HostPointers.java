package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
import static org.jhal.hip.jna.HipConstants.hipSuccess;

import org.jhal.hip.jna.HipRuntime;

/**
 * Tells which memory of the host the device reaches. hipMemoryTypeHost is 0 in ROCm 5 and 1 since
 * ROCm 6, where 0 is memory that the runtime does not know: so it is looked up in memory that is
 * known to be the host's.
 *
 * <p>Thread-safe.
 */
final class HostPointers {
  private static final int PROBE_BYTES = 4096;

  private final int host;

  private HostPointers(int host) {
    this.host = host;
  }

  /** Asks the runtime, through memory of the current device. */
  static HostPointers probe() {
    long[] address = new long[1];
    HipResult.check("hipHostMalloc", HipRuntime.hipHostMalloc(address, PROBE_BYTES, 0));
    try {
      int[] type = new int[1];
      HipResult.check("hipPointerGetAttribute", query(type, address[0]));
      return new HostPointers(type[0]);
    } finally {
      int ignored = HipRuntime.hipHostFree(address[0]);
    }
  }

  /** Whether an address is in memory that hipHostMalloc or hipHostRegister has made known. */
  boolean isPinned(long address) {
    int[] type = {-1}; // no kind of memory, should a call succeed and say nothing
    return query(type, address) == hipSuccess && type[0] == host;
  }

  private static int query(int[] type, long address) {
    return HipRuntime.hipPointerGetAttribute(type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
  }
}
