// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** The suite's kernels, as {@code org.jhal.cts.kernels.CtsKernels} describes them. */
public final class TinyKernels {
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private TinyKernels() {}

  public static void absolute(TinyGroup group) {
    int at = (int) (4 * group.index());
    group.buffers()[1].putFloat(at, Math.abs(group.buffers()[0].getFloat(at)));
  }

  public static void write_constants(TinyGroup group) {
    for (int i = 0; i < 4; i++) {
      group.buffers()[0].putInt(4 * i, group.i32(1 + i));
    }
  }

  public static void scale_and_offset(TinyGroup group) {
    int at = (int) (4 * group.index());
    group.buffers()[1].putInt(at, group.buffers()[0].getInt(at) * group.i32(2) + group.i32(3));
  }

  public static void negate(TinyGroup group) {
    int at = (int) (4 * group.index());
    group.buffers()[1].putInt(at, -group.buffers()[0].getInt(at));
  }

  public static void twice(TinyGroup group) {
    int at = (int) (4 * group.index());
    group.buffers()[1].putInt(at, 2 * group.buffers()[0].getInt(at));
  }

  public static void write_group_ids(TinyGroup group) {
    int at = (int) (12 * group.index());
    group.buffers()[0].putInt(at, group.x()).putInt(at + 4, group.y()).putInt(at + 8, group.z());
  }

  public static void write_parameters(TinyGroup group) {
    for (int i = 0; i < 3; i++) {
      group.buffers()[0].putInt(4 * i, group.i32(1 + i));
    }
  }

  public static void reflected(TinyGroup group) {
    int at = (int) group.index();
    double b = group.constants().getDouble(group.layout().offset(2));
    int sum = group.i32(0) + (int) b + (group.buffers()[1].get(at) & 0xFF);
    group.buffers()[3].putInt(4 * at, sum);
  }

  public static void all_constants(TinyGroup group) {
    ByteBuffer in = group.constants();
    ByteBuffer out = group.buffers()[0];
    out.putLong(0, in.get(group.layout().offset(1)));
    out.putLong(8, group.i64(2));
    out.putLong(16, in.get(group.layout().offset(3)) & 0xFF);
    out.putLong(24, group.i64(4));
    out.putLong(32, in.getShort(group.layout().offset(5)));
    out.putLong(40, group.i32(6) & 0xFFFF_FFFFL);
    out.putLong(48, in.getShort(group.layout().offset(7)) & 0xFFFF);
    out.putLong(56, group.i32(8) & 0xFFFF_FFFFL);
    out.putLong(64, group.i64(9));
    out.putLong(72, group.i32(10));
  }

  public static void write_structs(TinyGroup group) {
    ByteBuffer in = group.constants();
    int vector = group.layout().offset(1);
    int mixed = group.layout().offset(3); // u8 tag, float3 eye, i32 tiles[2], f64 zoom, u8 on
    int size = group.layout().offset(5);
    FloatBuffer out = group.buffers()[4].asFloatBuffer();
    out.put(in.get(group.layout().offset(0)) & 0xFF);
    for (int i = 0; i < 4; i++) {
      out.put(in.getFloat(vector + 4 * i));
    }
    out.put(in.getShort(group.layout().offset(2)) & 0xFFFF);
    out.put(in.get(mixed) & 0xFF);
    for (int i = 0; i < 3; i++) {
      out.put(in.getFloat(mixed + 4 + 4 * i));
    }
    out.put(in.getInt(mixed + 16)).put(in.getInt(mixed + 20));
    out.put((float) in.getDouble(mixed + 24)).put(in.get(mixed + 32) & 0xFF);
    for (int i = 0; i < 3; i++) {
      out.put(in.getInt(size + 4 * i));
    }
    out.put(in.get(group.layout().offset(6)) & 0xFF);
  }

  public static void spin(TinyGroup group) {
    ByteBuffer flags = group.buffers()[0];
    long iterations = group.i64(1);
    INT.setVolatile(flags, 4, 1);
    for (long i = 0; i < iterations; i++) {
      if ((int) INT.getVolatile(flags, 0) != 0) {
        INT.setVolatile(flags, 4, 2);
        return;
      }
      Thread.onSpinWait();
    }
    INT.setVolatile(flags, 4, 3);
  }

  public static void reverse(TinyGroup group) {
    ByteBuffer data = group.buffers()[0];
    int first = (int) (4 * 64 * group.index());
    int[] shared = new int[64];
    data.slice(first, 256).order(ByteOrder.nativeOrder()).asIntBuffer().get(shared);
    for (int i = 0; i < 64; i++) {
      data.putInt(first + 4 * i, shared[63 - i]);
    }
  }

  public static void append(TinyGroup group) {
    ByteBuffer list = group.buffers()[0];
    int length = list.getInt(0);
    list.putInt(4 * (1 + length), group.i32(1));
    list.putInt(0, length + 1);
  }

  public static void trap(TinyGroup group) {
    throw new IllegalStateException("trap " + group.i32(0));
  }
}
