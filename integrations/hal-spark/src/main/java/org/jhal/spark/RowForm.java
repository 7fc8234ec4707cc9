// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Rows are gathered into columns; the columns of a batch are an item. */
final class RowForm implements BatchForm<Row, Row> {
  private static final long serialVersionUID = 1L;

  private final StructType output;

  RowForm(StructType output) {
    this.output = Objects.requireNonNull(output, "output");
  }

  @Override
  public Run<Row> open(TaskDevice task, BatchKernel kernel, int batchBytes, Iterator<Row> rows) {
    Row first = rows.next();
    StructType schema = first == null ? null : first.schema();
    if (schema == null) {
      throw kernel.refused("the rows have no schema, so their columns have no names");
    }
    int[] columns = kernel.inputs().stream().mapToInt(own -> column(kernel, own, schema)).toArray();
    int[] sources = sources(kernel, schema);
    int bytes = kernel.inputs().stream().mapToInt(own -> own.type().bytes()).sum();
    int limit = Math.min(BatchPipeline.MOST_ITEMS, Math.max(1, batchBytes / Math.max(1, bytes)));
    return new RowRun(first, rows, columns, sources, task, kernel, limit);
  }

  /** The column that an input of the kernel takes. */
  private static int column(BatchKernel kernel, Parameter in, StructType schema) {
    PrimitiveArray kind = PrimitiveArray.of(in.type());
    int index = indexOf(schema, in.name());
    if (index < 0) {
      throw kernel.refused(
          "the rows have no column '" + in.name() + "'; they have " + schema.catalogString());
    }
    StructField field = schema.fields()[index];
    if (PrimitiveArray.of(field.dataType()) != kind) {
      throw kernel.refused(mismatch(field, in, kind));
    }
    return index;
  }

  /**
   * The source of each column of the output: a column of the input, or, as {@code -1 - i}, output i
   * of the kernel.
   */
  private int[] sources(BatchKernel kernel, StructType schema) {
    List<String> outs = kernel.outputs().stream().map(Parameter::name).toList();
    if (outs.isEmpty()) {
      throw kernel.refused("it writes nothing; it needs at least one buffer that is out");
    }
    for (String out : outs) {
      if (indexOf(output, out) < 0) {
        throw kernel.refused(
            "the output has no column '" + out + "'; it has " + output.catalogString());
      }
    }
    int[] sources = new int[output.size()];
    for (int i = 0; i < sources.length; i++) {
      StructField field = output.fields()[i];
      int out = outs.indexOf(field.name());
      if (out >= 0) {
        Parameter parameter = kernel.outputs().get(out);
        PrimitiveArray kind = PrimitiveArray.of(parameter.type());
        if (PrimitiveArray.of(field.dataType()) != kind) {
          throw kernel.refused(mismatch(field, parameter, kind));
        }
        sources[i] = -1 - out;
      } else {
        sources[i] = indexOf(schema, field.name());
        if (sources[i] < 0 || !schema.fields()[sources[i]].dataType().equals(field.dataType())) {
          throw kernel.refused(
              "the column '"
                  + field.name()
                  + "' of the output is neither an out of the kernel nor a column of type "
                  + field.dataType().simpleString()
                  + " of the rows; they have "
                  + schema.catalogString());
        }
      }
    }
    return sources;
  }

  private static String mismatch(StructField field, Parameter parameter, PrimitiveArray kind) {
    return "the column '"
        + field.name()
        + "' is of type "
        + field.dataType().simpleString()
        + ", but "
        + parameter.type().label()
        + " needs "
        + kind.columnLabel();
  }

  private static int indexOf(StructType schema, String name) {
    List<String> names = Arrays.asList(schema.fieldNames());
    int index = names.indexOf(name);
    if (index != names.lastIndexOf(name)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "there are several columns '" + name + "' in " + schema.catalogString());
    }
    return index;
  }

  @Override
  public String toString() {
    return "rows to " + output.catalogString();
  }

  private final class RowRun implements Run<Row> {
    private final Iterator<Row> rows;
    private final int[] columns;
    private final int[] sources;
    private final List<PrimitiveArray> inputKinds;
    private final List<PrimitiveArray> outputKinds;
    private final List<Parameter> inputs;
    private final boolean keepsRows;
    private final BatchPipeline pipeline;
    private @Nullable Row first; // came before the others
    private long taken;
    private @Nullable BatchItem item;
    private int index; // of the next row of the item

    RowRun(
        Row first,
        Iterator<Row> rows,
        int[] columns,
        int[] sources,
        TaskDevice task,
        BatchKernel kernel,
        int limit) {
      this.first = first;
      this.rows = rows;
      this.columns = columns;
      this.sources = sources;
      this.inputs = kernel.inputs();
      this.inputKinds = kinds(kernel.inputs());
      this.outputKinds = kinds(kernel.outputs());
      this.keepsRows = Arrays.stream(sources).anyMatch(source -> source >= 0);
      this.pipeline = new BatchPipeline(task, kernel, limit, this::take);
    }

    private static List<PrimitiveArray> kinds(List<Parameter> parameters) {
      return parameters.stream().map(own -> PrimitiveArray.of(own.type())).toList();
    }

    private @Nullable BatchItem take() {
      int limit = pipeline.limit();
      List<Object> arrays = new ArrayList<>();
      List<Row> kept = new ArrayList<>();
      int count = 0;
      for (Row row = pull(); row != null; row = count < limit ? pull() : null) {
        if (count == 0) {
          inputKinds.forEach(kind -> arrays.add(kind.newArray(limit)));
        }
        for (int i = 0; i < columns.length; i++) {
          Object value = row.get(columns[i]);
          if (value == null) {
            throw isNull(i);
          }
          inputKinds.get(i).set(arrays.get(i), count, value);
        }
        if (keepsRows) {
          kept.add(row);
        }
        count++;
        taken++;
      }
      return count == 0 ? null : new BatchItem(arrays, count, kept);
    }

    private @Nullable Row pull() {
      Row row = first;
      if (row != null) {
        first = null;
        return row;
      }
      return rows.hasNext() ? rows.next() : null;
    }

    private HalException isNull(int input) {
      return new HalException(
          Status.INVALID_ARGUMENT,
          "row "
              + taken
              + " of the partition, counted from 0, has a null in column '"
              + inputs.get(input).name()
              + "', which a kernel cannot read; fill or filter it before (Dataset.na())");
    }

    @Override
    public @Nullable Row next() {
      BatchItem current = item;
      while (current == null || index == current.length()) {
        current = pipeline.next();
        item = current;
        index = 0;
        if (current == null) {
          return null;
        }
      }
      Object[] values = new Object[sources.length];
      for (int i = 0; i < sources.length; i++) {
        if (sources[i] >= 0) {
          values[i] = ((Row) current.companions().get(index)).get(sources[i]);
        } else {
          int out = -1 - sources[i];
          values[i] = outputKinds.get(out).get(current.results().get(out), index);
        }
      }
      index++;
      return new GenericRowWithSchema(values, output);
    }

    @Override
    public void close() {
      pipeline.close();
    }
  }
}
