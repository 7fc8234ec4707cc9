// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;

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
    RowPlan plan = RowPlan.withoutNulls(columns, sources, output);
    return new RowRun(first, rows, plan, task, kernel, batchBytes);
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

  /** What is wrong with a column that a buffer cannot have. */
  static String mismatch(StructField field, Parameter parameter, PrimitiveArray kind) {
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
}
