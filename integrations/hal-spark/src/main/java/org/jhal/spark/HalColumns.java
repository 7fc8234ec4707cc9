// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Adds columns to a data set that a kernel computes from other columns of the same row.
 *
 * <pre>{@code
 * SparkBundle bundle = SparkBundle.ofResources(Main.class, "kernels");
 * HalColumns scale =
 *     HalColumns.of(bundle, "scale").input("x").output("y", ElementType.F32).withConstant("a", 3f);
 * Dataset<Row> scaled = scale.apply(rows); // all columns of rows, and y
 * }</pre>
 *
 * <p>The arguments of the kernel are found as follows, wherever they stand among its parameters:
 *
 * <ul>
 *   <li>The first {@link #input} is its first {@code in} buffer, the second one the second, and so
 *       on. A column is of Spark's type byte ({@code i8} or {@code u8}), short ({@code i16}, {@code
 *       u16}, or the bits of {@code f16} or {@code bf16}), int ({@code i32} or {@code u32}), long
 *       ({@code i64} or {@code u64}), float ({@code f32}) or double ({@code f64}).
 *   <li>The first {@link #output} is its first {@code out} buffer, and so on. The column has the
 *       type of Spark that belongs to the element type by the same list.
 *   <li>Its integer constant {@code count} is the number of rows of a batch. Each other constant
 *       has the value of {@link #withConstant}.
 * </ul>
 *
 * <p>By default, a null in an input fails the task, with the column and the number of the row.
 * {@link #input(String, Number)} lets the kernel read a value instead, and {@link #keepNulls} makes
 * the outputs of such rows null.
 *
 * <p>Batches, memory and failures are those of {@link HalPartitions}, which also maps arrays. Each
 * task uses the device that Spark has assigned to it, as {@link HalTask} describes.
 *
 * <p>Immutable; any thread may use it.
 */
public final class HalColumns {
  private record Input(String column, @Nullable Number ifNull) {}

  private record Output(String column, ElementType type) {}

  private final BatchSettings settings;
  private final List<Input> inputs;
  private final List<Output> outputs;
  private final boolean keepsNulls;

  private HalColumns(
      BatchSettings settings, List<Input> inputs, List<Output> outputs, boolean keepsNulls) {
    this.settings = settings;
    this.inputs = inputs;
    this.outputs = outputs;
    this.keepsNulls = keepsNulls;
  }

  /** Columns by a kernel of a bundle, which executors load. */
  public static HalColumns of(SparkBundle bundle, String kernel) {
    return new HalColumns(BatchSettings.of(bundle, kernel), List.of(), List.of(), false);
  }

  /** The same, with one more column that the kernel reads. A null in it fails the task. */
  public HalColumns input(String column) {
    return withInput(new Input(Objects.requireNonNull(column, "column"), null));
  }

  /**
   * The same, with one more column that the kernel reads.
   *
   * @param ifNull what the kernel reads where the column is null; for columns of integers, an
   *     integer that their type has
   */
  public HalColumns input(String column, Number ifNull) {
    return withInput(
        new Input(
            Objects.requireNonNull(column, "column"), Objects.requireNonNull(ifNull, "ifNull")));
  }

  private HalColumns withInput(Input input) {
    return new HalColumns(settings, plus(inputs, input), outputs, keepsNulls);
  }

  /**
   * The same, with one more column that the kernel writes.
   *
   * @param column the name of the new column
   * @param type the element type of the kernel's buffer
   */
  public HalColumns output(String column, ElementType type) {
    Output output =
        new Output(Objects.requireNonNull(column, "column"), Objects.requireNonNull(type, "type"));
    return new HalColumns(settings, inputs, plus(outputs, output), keepsNulls);
  }

  private static <T> List<T> plus(List<T> some, T last) {
    List<T> more = new ArrayList<>(some);
    more.add(last);
    return List.copyOf(more);
  }

  /**
   * The same, but all outputs of a row are null if one of its inputs is. The kernel computes such
   * rows too, and their results are dropped. It reads 0 for the null, or what {@link #input(String,
   * Number)} says.
   */
  public HalColumns keepNulls() {
    return new HalColumns(settings, inputs, outputs, true);
  }

  /**
   * The same, with a value for a constant of the kernel; a second value replaces the first one.
   *
   * @param value as {@link org.jhal.Args} takes it
   * @throws HalException INVALID_ARGUMENT if {@code value} is of a type that no constant has, or
   *     {@code name} is {@code count}, which is the number of rows of each batch
   */
  public HalColumns withConstant(String name, Number value) {
    return new HalColumns(settings.withConstant(name, value), inputs, outputs, keepsNulls);
  }

  /**
   * The same, with batches of at most that many bytes of input; 16 MiB by default. A batch also has
   * at most 65,536 rows.
   *
   * @param bytes from 1 to 1 GiB; a batch has at least one row
   * @throws HalException OUT_OF_RANGE for another number
   */
  public HalColumns withBatchBytes(long bytes) {
    return new HalColumns(settings.withBatchBytes(bytes), inputs, outputs, keepsNulls);
  }

  /**
   * Returns the rows with all their columns, and the outputs behind them. Like all transformations
   * of Spark, this computes nothing yet: whether the kernel fits is checked in the tasks, which
   * load it.
   *
   * <p>Names are compared as Spark compares them, by {@code spark.sql.caseSensitive}. A column
   * within a struct is none of the rows' own; select it first.
   *
   * @throws HalException INVALID_ARGUMENT if there is no output; if an input is missing, or there
   *     are several columns of its name; if it is of a type that a kernel cannot read, or that does
   *     not have the value for nulls; if an output has the name of an existing column, or of
   *     another output
   */
  public Dataset<Row> apply(Dataset<?> rows) {
    if (outputs.isEmpty()) {
      throw refused("it has no output");
    }
    StructType all = rows.schema();
    int own = all.size();
    boolean isCaseSensitive =
        Boolean.parseBoolean(rows.sparkSession().conf().get("spark.sql.caseSensitive", "false"));
    int[] columns = new int[inputs.size()];
    @Nullable Number[] substitutes = new Number[columns.length];
    List<StructField> fields = new ArrayList<>();
    for (int i = 0; i < columns.length; i++) {
      columns[i] = column(all, inputs.get(i).column(), isCaseSensitive);
      StructField field = all.fields()[columns[i]];
      substitutes[i] = substitute(inputs.get(i), field);
      fields.add(field);
    }
    int[] sources = new int[own + outputs.size()];
    for (int i = 0; i < own; i++) {
      sources[i] = i;
    }
    for (int i = 0; i < outputs.size(); i++) {
      Output output = outputs.get(i);
      if (!indexesOf(all, output.column(), isCaseSensitive).isEmpty()) {
        throw refused(
            "the output '"
                + output.column()
                + "' has the name of another column of "
                + all.catalogString());
      }
      all = all.add(output.column(), PrimitiveArray.of(output.type()).column(), keepsNulls);
      sources[own + i] = -1 - i;
    }
    RowPlan plan = new RowPlan(columns, substitutes, keepsNulls, sources, all);
    List<ElementType> types = outputs.stream().map(Output::type).toList();
    HalPartitions<Row, Row> mapping =
        new HalPartitions<>(settings, new ColumnForm(plan, fields, types));
    return rows.toDF().mapPartitions(mapping, Encoders.row(all));
  }

  private static List<Integer> indexesOf(StructType schema, String name, boolean isCaseSensitive) {
    String[] names = schema.fieldNames();
    return IntStream.range(0, names.length)
        .filter(i -> isCaseSensitive ? names[i].equals(name) : names[i].equalsIgnoreCase(name))
        .boxed()
        .toList();
  }

  private int column(StructType schema, String name, boolean isCaseSensitive) {
    List<Integer> found = indexesOf(schema, name, isCaseSensitive);
    if (found.size() != 1) {
      throw refused(
          "there "
              + (found.isEmpty() ? "is no column '" : "are several columns '")
              + name
              + "' in "
              + schema.catalogString());
    }
    return found.get(0);
  }

  /** What the kernel reads for a null; null if that fails the task. */
  private @Nullable Number substitute(Input input, StructField field) {
    PrimitiveArray kind = PrimitiveArray.of(field.dataType());
    if (kind == null) {
      throw refused(
          "the column '"
              + input.column()
              + "' is of type "
              + field.dataType().simpleString()
              + ", which a kernel cannot read; cast it to tinyint, smallint, int, bigint, float or"
              + " double");
    }
    if (input.ifNull() == null) {
      return keepsNulls ? kind.number(0) : null;
    }
    Number value = kind.number(input.ifNull());
    if (value == null) {
      throw refused(
          "the column '"
              + input.column()
              + "' of type "
              + kind.columnLabel()
              + " does not have the value "
              + input.ifNull()
              + " for nulls");
    }
    return value;
  }

  private HalException refused(String why) {
    return new HalException(Status.INVALID_ARGUMENT, settings + " over columns: " + why);
  }

  @Override
  public String toString() {
    return settings
        + " from "
        + inputs.stream().map(Input::column).toList()
        + " to "
        + outputs.stream().map(Output::column).toList();
  }
}
