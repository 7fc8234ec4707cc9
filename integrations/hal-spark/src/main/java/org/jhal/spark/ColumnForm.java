// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.jhal.ElementType;
import org.jhal.Parameter;

/**
 * Rows whose columns are known before a kernel is loaded: its inputs and outputs are assigned to
 * them by position.
 */
final class ColumnForm implements BatchForm<Row, Row> {
  private static final long serialVersionUID = 1L;

  private final RowPlan plan;
  private final List<StructField> inputs;
  private final List<ElementType> outputs;

  /**
   * A form.
   *
   * @param inputs the column that each input of the kernel reads
   * @param outputs the type of each output of the kernel
   */
  ColumnForm(RowPlan plan, List<StructField> inputs, List<ElementType> outputs) {
    this.plan = plan;
    this.inputs = List.copyOf(inputs);
    this.outputs = List.copyOf(outputs);
  }

  @Override
  public Run<Row> open(TaskDevice task, BatchKernel kernel, int batchBytes, Iterator<Row> rows) {
    checkNumber(kernel, "in", kernel.inputs(), "input", inputs);
    checkNumber(kernel, "out", kernel.outputs(), "output", outputs);
    for (int i = 0; i < inputs.size(); i++) {
      Parameter in = kernel.inputs().get(i);
      PrimitiveArray kind = PrimitiveArray.of(in.type());
      if (PrimitiveArray.of(inputs.get(i).dataType()) != kind) {
        throw kernel.refused(RowForm.mismatch(inputs.get(i), in, kind));
      }
    }
    for (int i = 0; i < outputs.size(); i++) {
      Parameter out = kernel.outputs().get(i);
      if (out.type() != outputs.get(i)) {
        throw kernel.refused(
            "its buffer '"
                + out.name()
                + "' writes "
                + out.type().label()
                + ", but output "
                + i
                + ", counted from 0, is declared as "
                + outputs.get(i).label());
      }
    }
    return new RowRun(rows.next(), rows, plan, task, kernel, batchBytes);
  }

  private static void checkNumber(
      BatchKernel kernel, String direction, List<?> buffers, String call, List<?> columns) {
    if (buffers.size() != columns.size()) {
      throw kernel.refused(
          "it has "
              + buffers.size()
              + " buffers that are "
              + direction
              + ", but "
              + call
              + "() was called "
              + columns.size()
              + " times");
    }
  }

  @Override
  public String toString() {
    return "rows to " + plan.output().catalogString();
  }
}
