// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Gathers the rows of a partition into columns; the columns of a batch are an item. */
final class RowRun implements BatchForm.Run<Row> {
  private final Iterator<Row> rows;
  private final RowPlan plan;
  private final List<PrimitiveArray> inputKinds;
  private final List<PrimitiveArray> outputKinds;
  private final boolean keepsRows;
  private final BatchPipeline pipeline;
  private @Nullable Row first; // came before the others
  private long taken;
  private @Nullable BatchItem item;
  private int index; // of the next row of the item

  /**
   * Begins to map a partition.
   *
   * @param first its first row
   * @param rows all others
   * @param plan fits to the kernel
   */
  RowRun(
      Row first,
      Iterator<Row> rows,
      RowPlan plan,
      TaskDevice task,
      BatchKernel kernel,
      int batchBytes) {
    this.first = first;
    this.rows = rows;
    this.plan = plan;
    this.inputKinds = kinds(kernel.inputs());
    this.outputKinds = kinds(kernel.outputs());
    this.keepsRows = plan.keepsRows();
    int bytes = kernel.inputs().stream().mapToInt(own -> own.type().bytes()).sum();
    int limit = Math.min(BatchPipeline.MOST_ITEMS, Math.max(1, batchBytes / Math.max(1, bytes)));
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
      for (int i = 0; i < plan.inputs(); i++) {
        Object value = row.get(plan.column(i));
        if (value == null) {
          value = plan.substitute(i);
          if (value == null) {
            throw isNull(row, i);
          }
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

  private HalException isNull(Row row, int input) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        "row "
            + taken
            + " of the partition, counted from 0, has a null in column '"
            + row.schema().fields()[plan.column(input)].name()
            + "', which a kernel cannot read; fill or filter it before (Dataset.na()), or let"
            + " HalColumns do so (input with a second argument, keepNulls)");
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
    Row row = keepsRows ? (Row) current.companions().get(index) : null;
    boolean isNull = row != null && plan.givesNull(row);
    @Nullable Object[] values = new Object[plan.output().size()];
    for (int i = 0; i < values.length; i++) {
      int source = plan.sourceOf(i);
      if (source < 0) {
        int out = -1 - source;
        values[i] = isNull ? null : outputKinds.get(out).get(current.results().get(out), index);
      } else if (row != null) {
        values[i] = row.get(source);
      }
    }
    index++;
    return new GenericRowWithSchema(values, plan.output());
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
