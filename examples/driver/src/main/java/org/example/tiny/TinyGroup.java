// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.nio.ByteBuffer;
import org.jhal.kernels.bundle.ArgumentLayout;

/**
 * One workgroup, as a kernel sees it.
 *
 * @param index its position in the grid, counted along x, then y, then z
 * @param buffers by parameter
 * @param constants all arguments in their layout
 */
public record TinyGroup(
    int x,
    int y,
    int z,
    long index,
    ByteBuffer[] buffers,
    ByteBuffer constants,
    ArgumentLayout layout) {
  /** The constant of 32 bits that is passed for a parameter. */
  public int i32(int parameter) {
    return constants.getInt(layout.offset(parameter));
  }

  /** The constant of 64 bits that is passed for a parameter. */
  public long i64(int parameter) {
    return constants.getLong(layout.offset(parameter));
  }
}
