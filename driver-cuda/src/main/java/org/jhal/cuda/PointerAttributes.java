// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.nio.ByteBuffer;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.natives.ResultCodes;

/**
 * What the runtime knows about an address, from one call. Calls for single attributes report memory
 * that the runtime does not know as an error, which takes five times as long; see
 * docs/results/README.md.
 *
 * <p>Each thread reuses one object, which is valid until the next call of {@link #of}.
 */
final class PointerAttributes {
  // From cuda.h: enum CUpointer_attribute, in the order of the values below.
  private static final int MEMORY_TYPE = 2;
  private static final int BUFFER_ID = 7;
  private static final int DEVICE_ORDINAL = 9;
  private static final int COUNT = 3;

  // From cuda.h: enum CUmemorytype. The type of unknown memory is 0.
  private static final int HOST = 1;
  private static final int DEVICE = 2;

  // The structure of the memory: the attributes, a pointer to the value of each, the values.
  private static final int POINTERS = 16;
  private static final int VALUES = POINTERS + COUNT * Long.BYTES;

  private static final ThreadLocal<PointerAttributes> OWN =
      ThreadLocal.withInitial(PointerAttributes::new);

  private final NativeBlock block = new NativeBlock(VALUES + COUNT * Long.BYTES);

  private PointerAttributes() {
    ByteBuffer bytes = block.bytes();
    bytes.putInt(0, MEMORY_TYPE).putInt(4, BUFFER_ID).putInt(8, DEVICE_ORDINAL);
    for (int i = 0; i < COUNT; i++) {
      bytes.putLong(POINTERS + i * Long.BYTES, block.address(VALUES + i * Long.BYTES));
    }
  }

  /** Asks about an address of the host or of a device. If that fails, the memory is unknown. */
  static PointerAttributes of(CudaTable calls, long address) {
    PointerAttributes own = OWN.get();
    NativeBlock block = own.block;
    int code =
        calls.pointerGetAttributes(COUNT, block.address(0), block.address(POINTERS), address);
    if (code != ResultCodes.SUCCESS) {
      block.bytes().putInt(VALUES, 0);
    }
    return own;
  }

  boolean isHostMemory() {
    return block.bytes().getInt(VALUES) == HOST;
  }

  boolean isDeviceMemory() {
    return block.bytes().getInt(VALUES) == DEVICE;
  }

  /** The number of the allocation or registration, unique in the process; of known memory. */
  long bufferId() {
    return block.bytes().getLong(VALUES + Long.BYTES);
  }

  /** The number of the device in the runtime; of known memory. */
  int ordinal() {
    return block.bytes().getInt(VALUES + 2 * Long.BYTES);
  }
}
