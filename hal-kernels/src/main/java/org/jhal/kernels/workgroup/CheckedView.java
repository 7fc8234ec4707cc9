// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import org.jhal.kernel.KernelMemory;
import org.jhal.kernels.workgroup.AccessCells.Kind;

/**
 * A range of memory as a kernel sees it that is checked: {@link DispatchCheck} learns of each
 * access before it is made. Owned by the thread that runs the dispatch.
 */
final class CheckedView implements KernelMemory {
  private final DispatchCheck check;
  private final int parameter; // -1 for shared memory
  private final KernelView view;

  CheckedView(DispatchCheck check, int parameter, KernelView view) {
    this.check = check;
    this.parameter = parameter;
    this.view = view;
  }

  private void reads(long index, int bytes) {
    check.access(parameter, view, index, bytes, Kind.READ, false);
  }

  private void writes(long index, int bytes, long before, long value) {
    check.access(parameter, view, index, bytes, Kind.WRITE, before == value);
  }

  /** Whether an access is inside; otherwise the check or the view throws. */
  private boolean isInside(long index, int bytes) {
    return index >= 0 && index <= view.size() - bytes;
  }

  @Override
  public long size() {
    return view.size();
  }

  @Override
  public byte getByte(long index) {
    reads(index, 1);
    return view.getByte(index);
  }

  @Override
  public short getShort(long index) {
    reads(index, 2);
    return view.getShort(index);
  }

  @Override
  public int getInt(long index) {
    reads(index, 4);
    return view.getInt(index);
  }

  @Override
  public long getLong(long index) {
    reads(index, 8);
    return view.getLong(index);
  }

  @Override
  public float getFloat(long index) {
    return Float.intBitsToFloat(getInt(index));
  }

  @Override
  public double getDouble(long index) {
    return Double.longBitsToDouble(getLong(index));
  }

  @Override
  public void putByte(long index, byte value) {
    writes(index, 1, isInside(index, 1) ? view.getByte(index) : 0, value);
    view.putByte(index, value);
  }

  @Override
  public void putShort(long index, short value) {
    writes(index, 2, isInside(index, 2) ? view.getShort(index) : 0, value);
    view.putShort(index, value);
  }

  @Override
  public void putInt(long index, int value) {
    writes(index, 4, isInside(index, 4) ? view.getInt(index) : 0, value);
    view.putInt(index, value);
  }

  @Override
  public void putLong(long index, long value) {
    writes(index, 8, isInside(index, 8) ? view.getLong(index) : 0, value);
    view.putLong(index, value);
  }

  @Override
  public void putFloat(long index, float value) {
    putInt(index, Float.floatToRawIntBits(value));
  }

  @Override
  public void putDouble(long index, double value) {
    putLong(index, Double.doubleToRawLongBits(value));
  }

  @Override
  public int getAndAddInt(long index, int delta) {
    check.access(parameter, view, index, 4, Kind.ATOMIC, false);
    return view.getAndAddInt(index, delta);
  }

  @Override
  public String toString() {
    return view.toString();
  }
}
