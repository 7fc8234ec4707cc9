// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import org.jhal.ElementType;
import org.jhal.StructType;
import org.jhal.kernel.KernelStruct;

/** A struct in the arguments of a dispatch. */
final class StructView extends PackedNumbers implements KernelStruct {
  private final StructType struct;
  private final byte[] block;
  private final int start;

  StructView(StructType struct, byte[] block, int start) {
    this.struct = struct;
    this.block = block;
    this.start = start;
  }

  @Override
  public int size() {
    return struct.scalars();
  }

  @Override
  public int index(String field) {
    return struct.scalar(field);
  }

  @Override
  byte[] block() {
    return block;
  }

  @Override
  ElementType type(int index) {
    return struct.field(index).type();
  }

  @Override
  int offset(int index) {
    return start + struct.offset(index);
  }

  @Override
  String describe(int index) {
    return "'" + struct.scalarName(index) + "' of " + struct + " is " + type(index).label();
  }

  @Override
  public String toString() {
    return struct.toString();
  }
}
