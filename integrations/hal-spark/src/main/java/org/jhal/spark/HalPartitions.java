package org.jhal.spark;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;
import org.jhal.Args;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Maps partitions through a kernel, in batches of which three are in flight: while one is computed,
 * the next one goes to the device, and the one before comes back.
 *
 * <pre>{@code
 * SparkBundle bundle = SparkBundle.ofResources(Main.class, "kernels");
 * JavaRDD<float[]> roots =
 *     values.mapPartitions(
 *         HalPartitions.arrays(bundle, "roots", float[].class, float[].class).withConstant("n", 3));
 * }</pre>
 *
 * <p>The kernel computes an element of each output from an element of each input: its buffers are
 * in or out, not inout. Its integer constant {@code count} gets the number of elements of a batch,
 * the others get what {@link #withConstant} gave. One dispatch covers a batch.
 *
 * <p>The results come lazily and in the order of the input, and the input is pulled as they are
 * asked for, so a partition may be larger than the memory. If the memory of the device runs out,
 * batches become half as large, down to one element, and what has failed runs again. If not even
 * one element fits, the task waits for memory that other tasks of the executor hold, for 5 minutes
 * at most. It fails with RESOURCE_EXHAUSTED if that is in vain, or all of them wait. Any other
 * failure fails the task.
 *
 * <p>Immutable; any thread may use it. It travels with the tasks.
 *
 * @param <I> what comes in: an array, or a row
 * @param <O> what comes out
 */
public final class HalPartitions<I, O>
    implements FlatMapFunction<Iterator<I>, O>, MapPartitionsFunction<I, O> {
  private static final long serialVersionUID = 1L;
  private static final int DEFAULT_BATCH_BYTES = 16 << 20;
  private static final int MOST_BATCH_BYTES = 1 << 30;

  private final SparkBundle bundle;
  private final String kernel;
  private final BatchForm<I, O> form;
  private final Map<String, Number> constants;
  private final int batchBytes;

  private HalPartitions(
      SparkBundle bundle,
      String kernel,
      BatchForm<I, O> form,
      Map<String, Number> constants,
      int batchBytes) {
    this.bundle = Objects.requireNonNull(bundle, "bundle");
    this.kernel = Objects.requireNonNull(kernel, "kernel");
    this.form = form;
    this.constants = constants;
    this.batchBytes = batchBytes;
  }

  /**
   * Maps arrays: for each one comes an array of the same length. Small ones share a batch, long
   * ones take several. The kernel has one in and one out; bytes are {@code i8} or {@code u8},
   * shorts {@code i16}, {@code u16}, {@code f16} or {@code bf16}, and so on. An array that has come
   * from the input must not be changed afterwards.
   *
   * @param input the class of the arrays that come in: of bytes, shorts, ints, longs, floats or
   *     doubles
   * @param output the class of the arrays that come out
   * @throws HalException INVALID_ARGUMENT for another class
   */
  public static <I, O> HalPartitions<I, O> arrays(
      SparkBundle bundle, String kernel, Class<I> input, Class<O> output) {
    return new HalPartitions<>(
        bundle, kernel, new ArrayForm<>(input, output), Map.of(), DEFAULT_BATCH_BYTES);
  }

  /**
   * Maps rows: for each one comes one. Each in of the kernel is the column of that name, and each
   * out becomes one. Columns are of Spark's types byte, short, int, long, float and double. A null
   * in a column that the kernel reads fails the task.
   *
   * @param output the columns that come out: all outs of the kernel, and columns of the input, of
   *     any type, that go along unchanged
   */
  public static HalPartitions<Row, Row> rows(SparkBundle bundle, String kernel, StructType output) {
    return new HalPartitions<>(bundle, kernel, new RowForm(output), Map.of(), DEFAULT_BATCH_BYTES);
  }

  /**
   * The same, with a value for a constant of the kernel; a second value replaces the first one.
   *
   * @param value as {@link Args} takes it
   * @throws HalException INVALID_ARGUMENT if {@code value} is of a type that no constant has, or
   *     {@code name} is {@code count}, which each batch has its own value of
   */
  public HalPartitions<I, O> withConstant(String name, Number value) {
    Objects.requireNonNull(name, "name");
    if (name.equals(BatchKernel.COUNT)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the constant '" + name + "' is the number of elements of each batch, not " + value);
    }
    try {
      Args unused = Args.of(Objects.requireNonNull(value, "value"));
    } catch (HalException e) {
      throw new HalException(e.status(), "constant '" + name + "': " + e.getMessage(), e);
    }
    Map<String, Number> more = new LinkedHashMap<>(constants);
    more.put(name, value);
    return new HalPartitions<>(bundle, kernel, form, Collections.unmodifiableMap(more), batchBytes);
  }

  /**
   * The same, with batches of at most that many bytes of input. By default 16 MiB. A batch has at
   * most 65,536 arrays or rows, too.
   *
   * @param bytes from 1 to 1 GiB; a batch has at least one element
   * @throws HalException OUT_OF_RANGE for another number
   */
  public HalPartitions<I, O> withBatchBytes(long bytes) {
    if (bytes < 1 || bytes > MOST_BATCH_BYTES) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "batches of " + bytes + " bytes: needs 1 to " + MOST_BATCH_BYTES + " (1 GiB)");
    }
    return new HalPartitions<>(bundle, kernel, form, constants, (int) bytes);
  }

  /**
   * For Spark: maps a partition, within a task that has a device.
   *
   * @throws HalException as {@link HalTask#device()}, when the first result is asked for
   */
  @Override
  public Iterator<O> call(Iterator<I> input) {
    TaskContext context = TaskContext.get();
    return map(
        input,
        HalTask::device,
        end -> context.addTaskCompletionListener((TaskCompletionListener) ended -> end.run()));
  }

  /**
   * Maps a partition.
   *
   * @param device is asked when there is something to compute
   * @param onEnd takes what is to be called when the task is over
   */
  Iterator<O> map(Iterator<I> input, Supplier<TaskDevice> device, Consumer<Runnable> onEnd) {
    return new BatchResults<>(
        input,
        () -> {
          TaskDevice task = device.get();
          BatchKernel loaded = BatchKernel.load(task.device(), bundle, kernel, constants);
          try {
            return form.open(task, loaded, batchBytes, input);
          } catch (Throwable e) { // the input throws checked exceptions, too, through Scala
            loaded.close();
            throw e;
          }
        },
        onEnd);
  }

  @Override
  public String toString() {
    return "kernel " + kernel + " of " + bundle + " over partitions of " + form;
  }
}
