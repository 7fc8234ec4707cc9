// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.MappedPartition.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.mock.MockControls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions of rows through kernels, on the mock. */
@Timeout(60)
class HalPartitionsRowsTest {
  private static final StructType INPUT =
      new StructType()
          .add("id", DataTypes.StringType)
          .add("b", DataTypes.DoubleType)
          .add("a", DataTypes.IntegerType);
  private static final StructType OUTPUT =
      new StructType()
          .add("half", DataTypes.FloatType)
          .add("id", DataTypes.StringType)
          .add("sum", DataTypes.DoubleType);

  private final MappedPartition partition = new MappedPartition("mock");

  @AfterEach
  void close() {
    partition.end();
    partition.awaitNothingLeft();
    partition.close();
  }

  private static Row row(StructType schema, @Nullable Object... values) {
    return new GenericRowWithSchema(values, schema);
  }

  private static HalPartitions<Row, Row> twoToTwo(StructType output) {
    return HalPartitions.rows(KERNELS, "two_to_two", output).withConstant("factor", 0.5f);
  }

  private static List<Row> input(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> row(INPUT, i % 5 == 0 ? null : "row " + i, 0.25 * i, i))
        .toList();
  }

  private static void check(List<Row> results, int count) {
    assertEquals(count, results.size());
    for (int i = 0; i < count; i++) {
      Row result = results.get(i);
      assertEquals(OUTPUT, result.schema());
      assertEquals(0.5f * i, result.getFloat(0));
      assertEquals(i % 5 == 0 ? null : "row " + i, result.getString(1));
      assertEquals(1.25 * i, result.getDouble(2));
    }
  }

  /** Columns are found by name, others are passed through, and batches have as many rows as fit. */
  @ParameterizedTest
  @ValueSource(longs = {1, 12, 13, 120, 1 << 20})
  void mapsColumnsByName(long batchBytes) {
    List<Row> input = input(101);
    check(partition.toList(twoToTwo(OUTPUT).withBatchBytes(batchBytes), input), 101);
  }

  @Test
  void mapsMoreRowsThanFitIntoABatch() {
    int count = BatchPipeline.MOST_ITEMS + 17;
    check(partition.toList(twoToTwo(OUTPUT), input(count)), count);
  }

  private static StructType columnOfEachType(String prefix) {
    return new StructType()
        .add(prefix + "b", DataTypes.ByteType)
        .add(prefix + "s", DataTypes.ShortType)
        .add(prefix + "i", DataTypes.IntegerType)
        .add(prefix + "l", DataTypes.LongType)
        .add(prefix + "f", DataTypes.FloatType)
        .add(prefix + "d", DataTypes.DoubleType);
  }

  @Test
  void mapsColumnsOfEachType() {
    StructType input = columnOfEachType("");
    StructType output = columnOfEachType("o");
    List<Row> results =
        partition.toList(
            HalPartitions.rows(KERNELS, "all_columns", output),
            List.of(
                row(input, (byte) 1, (short) 2, 3, 4L, 5f, 6.0),
                row(input, (byte) -1, (short) -2, -3, -4L, -5f, -6.0)));
    assertEquals(RowFactory.create((byte) 2, (short) 3, 4, 5L, 6f, 7.0), results.get(0));
    assertEquals(RowFactory.create((byte) 0, (short) -1, -2, -3L, -4f, -5.0), results.get(1));
  }

  @Test
  void replacesAColumnByAnOutput() {
    StructType both =
        new StructType().add("x", DataTypes.IntegerType).add("y", DataTypes.IntegerType);
    List<Row> results =
        partition.toList(
            HalPartitions.rows(KERNELS, "next_i32", both), List.of(row(both, 41, null)));
    assertEquals(RowFactory.create(41, 42), results.get(0));
  }

  @Test
  void mapsAnEmptyPartitionWithoutASchema() {
    assertFalse(partition.map(twoToTwo(OUTPUT), new ArrayList<Row>().iterator()).hasNext());
  }

  @Test
  void runsRowsAgainWhenMemoryRunsOut() {
    for (int nth = 1; nth <= 30; nth++) {
      MockControls controls = MockControls.of(partition.device);
      controls.failNth("execute", nth, new HalException(Status.RESOURCE_EXHAUSTED, "for a test"));
      check(partition.toList(twoToTwo(OUTPUT).withBatchBytes(120), input(55)), 55);
      controls.clearFaults();
      partition.end();
    }
  }

  @Test
  void refusesANullInAColumnThatTheKernelReads() {
    List<Row> input = new ArrayList<>(input(7));
    input.set(5, row(INPUT, "row 5", null, 5));
    refuses(twoToTwo(OUTPUT), input, "row 5 of the partition", "null in column 'b'", "na()");
  }

  private void refuses(HalPartitions<Row, Row> mapping, List<Row> input, String... says) {
    Iterator<Row> results = partition.map(mapping, input.iterator());
    HalException e = assertThrows(HalException.class, results::next);
    assertEquals(Status.INVALID_ARGUMENT, e.status());
    for (String part : says) {
      assertTrue(e.getMessage().contains(part), () -> "no '" + part + "' in: " + e.getMessage());
    }
  }

  @Test
  void refusesMissingColumns() {
    StructType onlyA = new StructType().add("a", DataTypes.IntegerType);
    refuses(
        twoToTwo(OUTPUT), List.of(row(onlyA, 1)), "no column 'b'", "struct<a:int>", "two_to_two(");
    refuses(
        twoToTwo(new StructType().add("sum", DataTypes.DoubleType)),
        input(1),
        "the output has no column 'half'");
    refuses(
        twoToTwo(OUTPUT.add("other", DataTypes.LongType)),
        input(1),
        "the column 'other' of the output is neither an out of the kernel nor a column");
  }

  /** For example after a join. */
  @Test
  void refusesColumnsOfTheSameName() {
    StructType twice = INPUT.add("a", DataTypes.IntegerType);
    refuses(twoToTwo(OUTPUT), List.of(row(twice, "row 0", 1, 2, 3)), "several columns 'a'");
  }

  /** Through Scala, Spark's input may throw checked exceptions. */
  @Test
  void aFailingInputLeavesNothingOpen() {
    Iterator<Row> failing =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Row next() {
            throw HalPartitionsRowsTest.<RuntimeException>unchecked(new IOException("lost block"));
          }
        };
    assertThrows(IOException.class, () -> partition.map(twoToTwo(OUTPUT), failing).hasNext());
    partition.awaitNothingLeft();
  }

  @SuppressWarnings("unchecked") // on purpose
  private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void refusesColumnsOfAnotherType() {
    StructType wrong = new StructType().add("a", DataTypes.LongType).add("b", DataTypes.DoubleType);
    refuses(
        twoToTwo(OUTPUT),
        List.of(row(wrong, 1L, 2.0)),
        "the column 'a' is of type bigint, but i32 needs int");
    refuses(
        twoToTwo(new StructType().add("sum", DataTypes.FloatType).add("half", DataTypes.FloatType)),
        input(1),
        "the column 'sum' is of type float, but f64 needs double");
    refuses(
        twoToTwo(OUTPUT.add("b", DataTypes.FloatType)),
        input(1),
        "the column 'b' of the output is neither");
  }

  @Test
  void refusesRowsWithoutASchema() {
    Row nameless = RowFactory.create("x", 1.0, 2);
    assertNull(nameless.schema());
    refuses(twoToTwo(OUTPUT), List.of(nameless), "the rows have no schema");
  }

  @Test
  void refusesKernelsWithoutOutputs() {
    StructType x = new StructType().add("x", DataTypes.IntegerType);
    refuses(
        HalPartitions.rows(KERNELS, "reading_only", x), List.of(row(x, 1)), "it writes nothing");
  }
}
