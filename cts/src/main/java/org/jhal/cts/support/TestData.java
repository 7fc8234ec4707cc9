// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.function.Executable;
import org.opentest4j.AssertionFailedError;

/** Test data, and checks of results. */
public final class TestData {
  /** The content of guard bytes around a range. */
  public static final byte GUARD = (byte) 0xA5;

  // The pattern of bytes(int), which repeats itself behind this.
  private static final byte[] PERIOD = new byte[1 << 15];

  static {
    for (int i = 0; i < PERIOD.length; i++) {
      PERIOD[i] = (byte) (i * 131 + (i >> 7) * 17 + 0x5A);
    }
  }

  private TestData() {}

  /**
   * {@code length} bytes that differ from each other and from the content of neighbouring pages.
   */
  public static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int at = 0; at < length; at += PERIOD.length) {
      System.arraycopy(PERIOD, 0, bytes, at, Math.min(PERIOD.length, length - at));
    }
    return bytes;
  }

  /** {@code length} times {@code value}. */
  public static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /**
   * {@code count} ints, which {@code value} computes from their indexes, as bytes in native order.
   */
  public static byte[] ints(int count, IntUnaryOperator value) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      bytes.putInt(value.applyAsInt(i));
    }
    return bytes.array();
  }

  /** These ints, as bytes in native order. */
  public static byte[] ints(int... values) {
    return ints(values.length, i -> values[i]);
  }

  /** The ints that {@code bytes} holds, in native order. */
  public static int[] toInts(byte[] bytes) {
    int[] ints = new int[bytes.length / 4];
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asIntBuffer().get(ints);
    return ints;
  }

  /** These floats, as bytes in native order. */
  public static byte[] floats(float... values) {
    return ints(values.length, i -> Float.floatToRawIntBits(values[i]));
  }

  /** The floats that {@code bytes} holds, in native order. */
  public static float[] toFloats(byte[] bytes) {
    float[] floats = new float[bytes.length / 4];
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer().get(floats);
    return floats;
  }

  /** A direct byte buffer with these bytes, from position 0 to its limit. */
  public static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder()).put(bytes).flip();
  }

  /** {@code base} with {@code part} written at {@code offset}. */
  public static byte[] with(byte[] base, int offset, byte[] part) {
    byte[] result = base.clone();
    System.arraycopy(part, 0, result, offset, part.length);
    return result;
  }

  /** Checks for equality, and reports where the first difference is. */
  public static void assertBytes(byte[] expected, byte[] actual, String what) {
    if (expected.length != actual.length) {
      throw new AssertionFailedError(
          what + " has " + actual.length + " bytes instead of " + expected.length);
    }
    int at = Arrays.mismatch(expected, actual);
    if (at >= 0) {
      int wrong = 0;
      for (int i = 0; i < expected.length; i++) {
        wrong += expected[i] == actual[i] ? 0 : 1;
      }
      throw new AssertionFailedError(
          String.format(
              Locale.ROOT,
              "%s: %d of %d bytes differ; the first at %d: expected 0x%02X, got 0x%02X",
              what,
              wrong,
              expected.length,
              at,
              expected[at],
              actual[at]));
    }
  }

  /**
   * Checks that {@code call} throws a {@link HalException} with {@code status} and a message that
   * contains each of {@code parts}.
   *
   * @return the exception
   */
  public static HalException assertHal(Status status, Executable call, String... parts) {
    HalException thrown;
    try {
      call.execute();
      throw new AssertionFailedError(
          "nothing was thrown instead of a HalException with "
              + status
              + (parts.length == 0 ? "" : " that names " + String.join(", ", parts)));
    } catch (HalException e) {
      thrown = e;
    } catch (AssertionFailedError e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionFailedError("expected a HalException with " + status + ", got " + e, e);
    }
    assertHal(status, thrown, parts);
    return thrown;
  }

  /**
   * Checks that {@code failure} has {@code status} and a message that contains each of {@code
   * parts}.
   */
  public static void assertHal(Status status, HalException failure, String... parts) {
    if (failure.status() != status) {
      throw new AssertionFailedError(
          "expected status " + status + ", got " + failure, status, failure.status(), failure);
    }
    for (String part : parts) {
      if (!String.valueOf(failure.getMessage()).contains(part)) {
        throw new AssertionFailedError(
            "the message should contain '" + part + "': " + failure, failure);
      }
    }
  }

  /** Checks that {@code call} throws a NullPointerException that names {@code parameter}. */
  public static void assertNullRefused(String parameter, Executable call) {
    try {
      call.execute();
    } catch (NullPointerException e) {
      if (!String.valueOf(e.getMessage()).contains(parameter)) {
        throw new AssertionFailedError(
            "the NullPointerException should name '" + parameter + "': " + e.getMessage(), e);
      }
      return;
    } catch (Throwable e) {
      throw new AssertionFailedError("expected a NullPointerException, got " + e, e);
    }
    throw new AssertionFailedError("null was accepted for " + parameter);
  }
}
