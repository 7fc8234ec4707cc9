// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory outside the Java heap with a known address, for the structures and arrays that native
 * functions read. It lives as long as this object is reachable.
 *
 * <p>Not thread-safe.
 */
public final class NativeBlock {
  private final ByteBuffer bytes;
  private final long address;

  /** Allocates {@code size} bytes of zeros. */
  public NativeBlock(int size) {
    bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    address = addressOf(bytes);
  }

  /** The address of a direct buffer's first byte, regardless of its position. */
  public static long addressOf(Buffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }

  /** The bytes, in native byte order; the position means nothing. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** The address of byte {@code offset}. */
  public long address(int offset) {
    return address + offset;
  }
}
