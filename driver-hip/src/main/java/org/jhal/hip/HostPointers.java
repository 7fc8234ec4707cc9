package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.HIP_POINTER_ATTRIBUTE_BUFFER_ID;
import static org.jhal.hip.jna.HipConstants.HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
import static org.jhal.hip.jna.HipConstants.hipSuccess;

import java.util.Arrays;
import org.jhal.hip.jna.HipRuntime;

/**
 * Tells which memory of the host the device reaches. hipMemoryTypeHost is 0 in ROCm 5 and 1 since
 * ROCm 6, where 0 is memory that the runtime does not know: so it is looked up in memory that is
 * known to be the host's.
 *
 * <p>Thread-safe; the device is bound to the calling thread.
 */
final class HostPointers {
  private static final int PROBE_BYTES = 4096;

  private final int host;

  private HostPointers(int host) {
    this.host = host;
  }

  /** Asks the runtime, through memory of the thread's device. */
  static HostPointers probe() {
    long[] address = new long[1];
    HipResult.CODES.check("hipHostMalloc", HipRuntime.hipHostMalloc(address, PROBE_BYTES, 0));
    try {
      int[] type = new int[2];
      HipResult.CODES.check(
          "hipPointerGetAttribute", query(type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, address[0]));
      return new HostPointers(type[0]);
    } finally {
      int ignored = HipRuntime.hipHostFree(address[0]);
    }
  }

  /**
   * Whether two addresses are in one piece of memory that hipHostMalloc or hipHostRegister has made
   * known. A copy that leaves it for another one may be refused.
   */
  boolean isPinned(long first, long last) {
    int[] type = {-1, 0}; // no kind of memory, should a call succeed and say nothing
    if (query(type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, first) != hipSuccess || type[0] != host) {
      return false;
    }
    int[] firstId = new int[2]; // which some runtimes write as 64 bits, some as 32
    int[] lastId = new int[2];
    return query(firstId, HIP_POINTER_ATTRIBUTE_BUFFER_ID, first) == hipSuccess
        && query(lastId, HIP_POINTER_ATTRIBUTE_BUFFER_ID, last) == hipSuccess
        && Arrays.equals(firstId, lastId);
  }

  private static int query(int[] data, int attribute, long address) {
    return HipRuntime.hipPointerGetAttribute(data, attribute, address);
  }
}
