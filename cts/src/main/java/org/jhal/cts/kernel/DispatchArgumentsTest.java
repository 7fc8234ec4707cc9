// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Constants of all types, over their whole ranges: rule M8. */
@CtsSuite
class DispatchArgumentsTest {
  /** The constants of {@code all_constants}, in its order, over the whole range of each type. */
  static Stream<Arguments> constants() {
    return Stream.of(
        row(0, 0L, 0, 0.0, 0, 0, 0, 0.0f, 0L, 0),
        row(1, 2L, 3, 4.5, 5, 6, 7, 8.25f, 9L, 10),
        row(-128, Long.MIN_VALUE, 0, -0.0, -32_768, 0, 0, -0.0f, 0L, Integer.MIN_VALUE),
        row(
            127,
            Long.MAX_VALUE,
            255,
            Double.MAX_VALUE,
            32_767,
            0xFFFF_FFFFL,
            65_535,
            Float.MIN_VALUE,
            -1L,
            Integer.MAX_VALUE),
        // A number of any integer type is accepted if its value fits, and so is a float for an f64.
        row(
            (byte) -1,
            (short) -2,
            200L,
            1.5f,
            (byte) 3,
            (short) 4,
            5L,
            Float.POSITIVE_INFINITY,
            (byte) 6,
            -7L),
        // doubles with the value of a float
        row(0, 0, 0, 0.1, 0, 0, 0, -0.0, 0, 0),
        row(0, 0, 0, 0.1, 0, 0, 0, 16_777_216.0, 0, 0),
        row(0, 0, 0, 0.1, 0, 0, 0, Double.NEGATIVE_INFINITY, 0, 0),
        row(0, 0, 0, 0.1, 0, 0, 0, Double.NaN, 0, 0));
  }

  private static Arguments row(Object... values) {
    return Arguments.of(List.of(values));
  }

  private static byte[] widened(List<Object> values) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * values.size()).order(ByteOrder.nativeOrder());
    for (int i = 0; i < values.size(); i++) {
      Number value = (Number) values.get(i);
      switch (i) {
        case 3 -> bytes.putDouble(value.doubleValue());
        case 7 -> bytes.putLong(Float.floatToRawIntBits(value.floatValue()) & 0xFFFF_FFFFL);
        default -> bytes.putLong(value.longValue());
      }
    }
    return bytes.array();
  }

  @ParameterizedTest
  @MethodSource("constants")
  @Rule("M8")
  void constantsOfEachTypeArriveUnchanged(List<Object> values, Cts cts) {
    DeviceBuffer out = cts.buffer(TestData.filled(80, 0xCD));
    TimelineSemaphore done = cts.semaphore();
    List<Object> args = new ArrayList<>(List.of(out));
    args.addAll(values);
    cts.queue()
        .dispatch(
            Fence.NONE,
            done.at(1),
            cts.kernel("all_constants"),
            Workgroups.of(1),
            Args.of(args.toArray()));
    Waits.awaitReached(done, 1);
    assertBytes(widened(values), cts.read(out), "the constants, 8 bytes each");
  }

  @Test
  @Rule({"M5", "M8"})
  void argumentsMayBeGivenByName(Cts cts) {
    DeviceBuffer x = cts.buffer(TestData.ints(1, 2, 3));
    DeviceBuffer y = cts.buffer(12);
    TimelineSemaphore done = cts.semaphore();
    Kernel kernel = cts.kernel("scale_and_offset");
    Args args =
        Args.named(kernel).set("offset", 5).set("y", y).set("scale", 10).set("x", x).build();
    cts.queue().dispatch(Fence.NONE, done.at(1), kernel, kernel.covering(3), args);
    Waits.awaitReached(done, 1);
    assertBytes(TestData.ints(15, 25, 35), cts.read(y), "scaled");
    assertHal(
        Status.INVALID_ARGUMENT, () -> Args.named(kernel).set("z", 1), "'z'", "offset", "scale");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> Args.named(kernel).set("scale", y),
        "'scale' of scale_and_offset",
        "i32");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> Args.named(kernel).set("x", x).set("y", y).build(),
        "[scale, offset]");
  }

  @Test
  @Rule({"M8", "Q2"})
  void argumentsMayBeReusedForManyDispatches(Cts cts) {
    DeviceBuffer list = cts.buffer(new byte[4 * 101]);
    TimelineSemaphore timeline = cts.semaphore();
    Args args = Args.of(list, 7);
    Kernel append = cts.kernel("append");
    for (int i = 0; i < 100; i++) {
      cts.queue()
          .dispatch(
              i == 0 ? Fence.NONE : timeline.at(i),
              timeline.at(1 + i),
              append,
              Workgroups.of(1),
              args);
    }
    Waits.awaitReached(timeline, 100);
    assertBytes(
        TestData.ints(101, i -> i == 0 ? 100 : 7), cts.read(list), "the list after 100 appends");
  }

  /** Arguments of {@code scale_and_offset} that are rejected, and what the message must contain. */
  private record Wrong(Status status, Args args, String... parts) {}

  private static List<Wrong> wrong(DeviceBuffer x, DeviceBuffer y) {
    return List.of(
        new Wrong(Status.INVALID_ARGUMENT, Args.NONE, "scale_and_offset", "4", "0", "offset"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, y, 1), "scale_and_offset", "4", "3"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, y, 1, 2, 3), "scale_and_offset", "4", "5"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, 5, 1, 2), "y", "buffer", "Integer", "5"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, y, x, 2), "scale", "i32"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, y, 1.5f, 2), "scale", "i32", "Float", "1.5"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, y, 1, 2.0), "offset", "i32", "Double"),
        new Wrong(
            Status.OUT_OF_RANGE,
            Args.of(x, y, 1L << 31, 2),
            "scale",
            "2147483648",
            "i32",
            "2147483647"),
        new Wrong(
            Status.OUT_OF_RANGE,
            Args.of(x, y, 1, Long.MIN_VALUE),
            "offset",
            "-9223372036854775808",
            "-2147483648"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x.slice(2, 8), y, 1, 2), "x", "2", "4", "i32"),
        new Wrong(Status.INVALID_ARGUMENT, Args.of(x, y.slice(1, 8), 1, 2), "y", "1", "4", "i32"));
  }

  @Test
  @Rule({"M5", "M8"})
  void wrongArgumentsAreRejected(Cts cts) {
    DeviceBuffer x = cts.buffer(16);
    DeviceBuffer y = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    Kernel kernel = cts.kernel("scale_and_offset");
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    long enqueued = cts.device().statistics().enqueued();
    for (Wrong wrong : wrong(x, y)) {
      assertHal(
          wrong.status(),
          () ->
              cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(1), wrong.args()),
          wrong.parts());
      assertHal(
          wrong.status(),
          () -> commands.dispatch(kernel, Workgroups.of(1), wrong.args()),
          wrong.parts());
      // An empty grid is no exception.
      assertHal(
          wrong.status(),
          () -> commands.dispatch(kernel, Workgroups.of(0), wrong.args()),
          wrong.parts());
    }
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    Waits.assertPending(done, 1);
  }

  /** A constant of {@code all_constants} that is out of the range of its type, by its index. */
  static Stream<Arguments> outOfRange() {
    return Stream.of(
        Arguments.of(1, "i8", 128L, "127"),
        Arguments.of(1, "i8", -129L, "-128"),
        Arguments.of(3, "u8", 256L, "255"),
        Arguments.of(3, "u8", -1L, "0"),
        Arguments.of(5, "i16", 32_768L, "32767"),
        Arguments.of(5, "i16", -32_769L, "-32768"),
        Arguments.of(6, "u32", 1L << 32, "4294967295"),
        Arguments.of(6, "u32", -1L, "0"),
        Arguments.of(7, "u16", 65_536L, "65535"),
        Arguments.of(7, "u16", -1L, "0"),
        Arguments.of(8, "f32", 0.1, "the float 0.1"),
        Arguments.of(8, "f32", 1e300, "ends at 3.4028235E38"),
        Arguments.of(8, "f32", 16_777_217.0, "the float 1.6777216E7"),
        Arguments.of(10, "i32", 1L << 31, "2147483647"));
  }

  @ParameterizedTest
  @MethodSource("outOfRange")
  @Rule({"M5", "M8"})
  void constantsOutOfRangeAreRejected(int index, String type, Object value, String limit, Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    Object[] args = {cts.buffer(80), 0, 0, 0, 0.0, 0, 0, 0, 0f, 0, 0};
    args[index] = value;
    assertHal(
        Status.OUT_OF_RANGE,
        () ->
            cts.queue()
                .dispatch(
                    Fence.NONE,
                    done.at(1),
                    cts.kernel("all_constants"),
                    Workgroups.of(1),
                    Args.of(args)),
        "argument " + index,
        type,
        String.valueOf(value),
        limit);
    Waits.assertPending(done, 1);
  }

  /** Values of the wrong kind for a constant of {@code all_constants}. */
  static Stream<Arguments> wrongTypes() {
    return Stream.of(
        Arguments.of(1, "i8", 1.0f),
        Arguments.of(4, "f64", 1),
        Arguments.of(4, "f64", 1L),
        Arguments.of(8, "f32", 1),
        Arguments.of(8, "f32", 1L),
        Arguments.of(9, "u64", 1.0));
  }

  @ParameterizedTest
  @MethodSource("wrongTypes")
  @Rule({"M5", "M8"})
  void constantsOfTheWrongKindAreRejected(int index, String type, Object value, Cts cts) {
    Object[] args = {cts.buffer(80), 0, 0, 0, 0.0, 0, 0, 0, 0f, 0, 0};
    args[index] = value;
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> commands.dispatch(cts.kernel("all_constants"), Workgroups.of(1), Args.of(args)),
        "argument " + index,
        type,
        value.getClass().getSimpleName(),
        value.toString());
  }
}
