// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.kernel.BFloat16s;
import org.jhal.kernel.Float16s;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;

/** The kernels of the test bundles. */
public final class TestKernels {
  /** How often {@link #count} ran. */
  static final AtomicInteger COUNT = new AtomicInteger();

  /** Opened when {@link #block} has begun. */
  static volatile CountDownLatch begun = new CountDownLatch(1);

  /** {@link #block} ends when this is opened. */
  static volatile CountDownLatch release = new CountDownLatch(1);

  private TestKernels() {}

  /** Adds 1 to each byte of an inout buffer, in one workgroup. */
  public static void increment(Workgroup group) {
    KernelMemory data = group.memory(0);
    for (long i = 0; i < data.size(); i++) {
      data.putByte(i, (byte) (data.getByte(i) + 1));
    }
  }

  /** Multiplies each number by a constant, in one workgroup. */
  public static void half(Workgroup group, float factor, Float16s data) {
    for (long i = 0; i < data.length(); i++) {
      data.set(i, factor * data.get(i));
    }
  }

  /** The same. */
  public static void brain(Workgroup group, float factor, BFloat16s data) {
    for (long i = 0; i < data.length(); i++) {
      data.set(i, factor * data.get(i));
    }
  }

  /** Writes the first and the last byte of the first buffer into the second. */
  public static void ends(Workgroup group) {
    KernelMemory data = group.memory(0);
    group.memory(1).putByte(0, data.getByte(0));
    group.memory(1).putByte(1, data.getByte(data.size() - 1));
  }

  /** Writes each constant as its manifest declares it. */
  public static void constants(Workgroup group) {
    KernelMemory result = group.memory(0);
    result.putLong(0, group.i32(1)); // i8
    result.putLong(8, group.i32(2)); // u8
    result.putLong(16, group.i32(3)); // i16
    result.putLong(24, group.i32(4)); // u16
    result.putLong(32, group.i32(5)); // i32
    result.putLong(40, group.i64(6)); // u32
    result.putLong(48, group.i64(7)); // i64
    result.putLong(56, group.i64(8)); // u64
    result.putDouble(64, group.f32(9)); // f32
    result.putDouble(72, group.f64(10)); // f64
  }

  /** Counts its workgroups. */
  public static void count(Workgroup group) {
    COUNT.incrementAndGet();
  }

  /** Gives up. */
  public static void fail(Workgroup group) {
    throw new IllegalStateException("the kernel gave up");
  }

  /**
   * Runs until the test releases it, for longer than any wait of a test that must not include it.
   */
  public static void block(Workgroup group) throws InterruptedException {
    begun.countDown();
    if (!release.await(100, TimeUnit.SECONDS)) {
      throw new AssertionError("the test did not release the kernel");
    }
  }
}
