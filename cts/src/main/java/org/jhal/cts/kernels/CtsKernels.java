// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernels;

import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.KernelStruct;
import org.jhal.kernel.Workgroup;

/**
 * The suite's kernels in the format {@code java}. Each does the same as the kernel of that name in
 * {@code kernels/kernels.cpp}; {@code kernels/manifest.json} declares their parameters. A driver
 * with another format provides a third version.
 */
public final class CtsKernels {
  private CtsKernels() {}

  /** The bundle with all kernels, in all formats that the suite has. */
  public static ExecutableSource bundle() {
    return ExecutableSource.ofResources(CtsKernels.class, "kernels");
  }

  private static long linear(Workgroup group) {
    return group.groupX()
        + (long) group.countX() * (group.groupY() + (long) group.countY() * group.groupZ());
  }

  /** {@code y[i] = |x[i]|} on floats; one workgroup for each element. */
  public static void absolute(Workgroup group) {
    long at = 4 * linear(group);
    group.memory(1).putFloat(at, Math.abs(group.memory(0).getFloat(at)));
  }

  /** Writes four constants, one after the other. One workgroup. */
  public static void write_constants(Workgroup group) {
    for (int i = 0; i < 4; i++) {
      group.memory(0).putInt(4L * i, group.i32(1 + i));
    }
  }

  /** {@code y[i] = x[i] * scale + offset}; one workgroup for each element. */
  public static void scale_and_offset(Workgroup group) {
    long at = 4 * linear(group);
    group.memory(1).putInt(at, group.memory(0).getInt(at) * group.i32(2) + group.i32(3));
  }

  /** {@code y[i] = -x[i]}; one workgroup for each element. */
  public static void negate(Workgroup group) {
    long at = 4 * linear(group);
    group.memory(1).putInt(at, -group.memory(0).getInt(at));
  }

  /** {@code y[i] = 2 * x[i]}; one workgroup for each element. */
  public static void twice(Workgroup group) {
    long at = 4 * linear(group);
    group.memory(1).putInt(at, 2 * group.memory(0).getInt(at));
  }

  /** Each workgroup writes its index along x, y and z. */
  public static void write_group_ids(Workgroup group) {
    long at = 12 * linear(group);
    KernelMemory ids = group.memory(0);
    ids.putInt(at, group.groupX());
    ids.putInt(at + 4, group.groupY());
    ids.putInt(at + 8, group.groupZ());
  }

  /** Writes the three counts of a grid. One workgroup. */
  public static void write_parameters(Workgroup group) {
    for (int i = 0; i < 3; i++) {
      group.memory(0).putInt(4L * i, group.i32(1 + i));
    }
  }

  /**
   * Parameters of all kinds in mixed order, for reflection: adds two constants of different types
   * to the elements that it reads. One workgroup for each element.
   */
  public static void reflected(Workgroup group) {
    long at = linear(group);
    int sum = group.i32(0) + (int) group.f64(2) + (group.memory(1).getByte(at) & 0xFF);
    group.memory(3).putInt(4 * at, sum);
  }

  /**
   * Writes one constant of each type, each to eight bytes: integers are widened to 64 bits; floats
   * are written as their bits, those of an f32 as an unsigned integer. One workgroup.
   */
  public static void all_constants(Workgroup group) {
    KernelMemory out = group.memory(0);
    out.putLong(0, group.i64(1)); // i8
    out.putLong(8, group.i64(2)); // i64
    out.putLong(16, group.i64(3)); // u8
    out.putLong(24, Double.doubleToRawLongBits(group.f64(4)));
    out.putLong(32, group.i64(5)); // i16
    out.putLong(40, group.i64(6)); // u32
    out.putLong(48, group.i64(7)); // u16
    out.putLong(56, Float.floatToRawIntBits(group.f32(8)) & 0xFFFFFFFFL);
    out.putLong(64, group.i64(9)); // u64
    out.putLong(72, group.i64(10)); // i32
  }

  /**
   * Structs beside constants, 101 bytes of arguments: writes each scalar of all arguments but
   * {@code out}, in their order, as a float. One workgroup.
   */
  public static void write_structs(Workgroup group) {
    KernelStruct vector = group.struct(1);
    KernelStruct mixed = group.struct(3);
    KernelStruct size = group.struct(5);
    int eye = mixed.index("eye");
    int tiles = mixed.index("tiles");
    float[] all = {
      group.i32(0),
      vector.f32(0),
      vector.f32(1),
      vector.f32(2),
      vector.f32(3),
      group.i32(2),
      mixed.i32(mixed.index("tag")),
      mixed.f32(eye),
      mixed.f32(eye + 1),
      mixed.f32(eye + 2),
      mixed.i32(tiles),
      mixed.i32(tiles + 1),
      (float) mixed.f64(mixed.index("zoom")),
      mixed.i32(mixed.index("on")),
      size.i64(0),
      size.i64(1),
      size.i64(2),
      group.i32(6)
    };
    for (int i = 0; i < all.length; i++) {
      group.memory(4).putFloat(4L * i, all[i]);
    }
  }

  /**
   * Sets the second int to 1 to report that it runs. Then it spins until the first int is not 0,
   * and sets the second int to 2, or until the iterations are used up, and sets it to 3. One
   * workgroup.
   */
  public static void spin(Workgroup group) {
    KernelMemory flags = group.memory(0);
    long iterations = group.i64(1);
    flags.getAndAddInt(4, 1);
    for (long i = 0; i < iterations; i++) {
      if (flags.getAndAddInt(0, 0) != 0) {
        flags.putInt(4, 2);
        return;
      }
      Thread.onSpinWait();
    }
    flags.putInt(4, 3);
  }

  /** Reverses the 64 ints of each workgroup, through the dynamic shared memory. */
  public static void reverse(Workgroup group) {
    KernelMemory data = group.memory(0);
    KernelMemory shared = group.shared();
    int size = group.sizeX();
    long first = 4 * linear(group) * size;
    for (int i = 0; i < size; i++) {
      shared.putInt(4L * i, data.getInt(first + 4L * i));
    }
    for (int i = 0; i < size; i++) {
      data.putInt(first + 4L * i, shared.getInt(4L * (size - 1 - i)));
    }
  }

  /** Appends a value to a list whose first int is its length. One workgroup. */
  public static void append(Workgroup group) {
    KernelMemory list = group.memory(0);
    int length = list.getInt(0);
    list.putInt(4L * (1 + length), group.i32(1));
    list.putInt(0, length + 1);
  }

  /**
   * Gives up, so that its operation fails: throws here, traps on hardware. A device on which
   * neither fails the operation reports that ({@link DeviceInfo#reportsKernelFailures}), and its
   * version of the kernel does nothing.
   */
  public static void trap(Workgroup group) {
    throw new IllegalStateException("trap " + group.i32(0));
  }
}
