// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.Iterator;
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
 * and {@link #withConstant} sets the other constants. One dispatch covers a batch.
 *
 * <p>The results are computed on demand, in the order of the input, and the input is read as
 * results are requested, so a partition may be larger than the memory. If the memory of the device
 * runs out, batches become half as large, down to one element, and failed batches run again. If not
 * even one element fits, the task waits for memory that other tasks of the executor hold, for at
 * most 5 minutes. It fails with RESOURCE_EXHAUSTED if no memory is freed, or if all of them wait.
 * Any other failure fails the task.
 *
 * <p>Immutable; any thread may use it. It is serialized with the tasks.
 *
 * @param <I> the type of the input's elements: an array, or a row
 * @param <O> the type of the results
 */
public final class HalPartitions<I, O>
    implements FlatMapFunction<Iterator<I>, O>, MapPartitionsFunction<I, O> {
  private static final long serialVersionUID = 1L;

  private final BatchSettings settings;
  private final BatchForm<I, O> form;

  HalPartitions(BatchSettings settings, BatchForm<I, O> form) {
    this.settings = settings;
    this.form = form;
  }

  /**
   * Maps arrays: each one yields an array of the same length. Small arrays share a batch, long ones
   * take several. The kernel has one in buffer and one out buffer; bytes are {@code i8} or {@code
   * u8}, shorts {@code i16}, {@code u16}, {@code f16} or {@code bf16}, and so on. An array from the
   * input must not be changed afterwards.
   *
   * @param input the class of the input arrays: of bytes, shorts, ints, longs, floats or doubles
   * @param output the class of the result arrays
   * @throws HalException INVALID_ARGUMENT for another class
   */
  public static <I, O> HalPartitions<I, O> arrays(
      SparkBundle bundle, String kernel, Class<I> input, Class<O> output) {
    return new HalPartitions<>(BatchSettings.of(bundle, kernel), new ArrayForm<>(input, output));
  }

  /**
   * Maps rows: each one yields a row. Each in buffer of the kernel reads the column of its name,
   * and each out buffer becomes a column. Columns are of Spark's types byte, short, int, long,
   * float and double. A null in a column that the kernel reads fails the task.
   *
   * @param output the columns of the results: all out buffers of the kernel, and columns of the
   *     input, of any type, which are passed through unchanged
   */
  public static HalPartitions<Row, Row> rows(SparkBundle bundle, String kernel, StructType output) {
    return new HalPartitions<>(BatchSettings.of(bundle, kernel), new RowForm(output));
  }

  /**
   * The same, with a value for a constant of the kernel; a second value replaces the first one.
   *
   * @param value as {@link Args} takes it
   * @throws HalException INVALID_ARGUMENT if {@code value} is of a type that no constant has, or
   *     {@code name} is {@code count}, which is the number of elements of each batch
   */
  public HalPartitions<I, O> withConstant(String name, Number value) {
    return new HalPartitions<>(settings.withConstant(name, value), form);
  }

  /**
   * The same, with batches of at most that many bytes of input; 16 MiB by default. A batch also has
   * at most 65,536 arrays or rows.
   *
   * @param bytes from 1 to 1 GiB; a batch has at least one element
   * @throws HalException OUT_OF_RANGE for another number
   */
  public HalPartitions<I, O> withBatchBytes(long bytes) {
    return new HalPartitions<>(settings.withBatchBytes(bytes), form);
  }

  /**
   * For Spark: maps a partition, within a task that has a device.
   *
   * @throws HalException as {@link HalTask#device()}, when the first result is requested
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
   * @param device called when there is something to compute
   * @param onEnd gets the callback for the end of the task
   */
  Iterator<O> map(Iterator<I> input, Supplier<TaskDevice> device, Consumer<Runnable> onEnd) {
    return new BatchResults<>(
        input,
        () -> {
          TaskDevice task = device.get();
          BatchKernel loaded = BatchKernel.load(task.device(), settings);
          try {
            return form.open(task, loaded, settings.batchBytes(), input);
          } catch (Throwable e) { // through Scala, the input may also throw checked exceptions
            loaded.close();
            throw e;
          }
        },
        onEnd);
  }

  @Override
  public String toString() {
    return settings + " over partitions of " + form;
  }
}
