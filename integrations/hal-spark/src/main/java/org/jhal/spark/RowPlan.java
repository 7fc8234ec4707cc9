// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.io.Serializable;
import java.util.Objects;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Which columns a kernel reads, what it reads for nulls, and what the rows of the results are. */
final class RowPlan implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int[] columns;
  private final @Nullable Number[] substitutes;
  private final boolean keepsNulls;
  private final int[] sources;
  private final StructType output;

  /**
   * A plan.
   *
   * @param columns the column that each input of the kernel reads
   * @param substitutes what each input reads for a null, in the type of its column; null to refuse
   *     nulls
   * @param keepsNulls whether the outputs of a row are null if one of its inputs is
   * @param sources the source of each column of the results: a column of the input, or, as {@code
   *     -1 - i}, output i of the kernel
   * @param output the schema of the results
   */
  RowPlan(
      int[] columns,
      @Nullable Number[] substitutes,
      boolean keepsNulls,
      int[] sources,
      StructType output) {
    this.columns = columns.clone();
    this.substitutes = substitutes.clone();
    this.keepsNulls = keepsNulls;
    this.sources = sources.clone();
    this.output = Objects.requireNonNull(output, "output");
  }

  /** A plan that refuses nulls. */
  static RowPlan withoutNulls(int[] columns, int[] sources, StructType output) {
    return new RowPlan(columns, new Number[columns.length], false, sources, output);
  }

  int inputs() {
    return columns.length;
  }

  int column(int input) {
    return columns[input];
  }

  /** What an input reads for a null; null if it refuses nulls. */
  @Nullable Number substitute(int input) {
    return substitutes[input];
  }

  int sourceOf(int column) {
    return sources[column];
  }

  StructType output() {
    return output;
  }

  /** Whether columns of the input are part of the results. */
  boolean keepsRows() {
    for (int source : sources) {
      if (source >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether the outputs of the kernel are null for a row. */
  boolean givesNull(Row row) {
    if (keepsNulls) {
      for (int column : columns) {
        if (row.isNullAt(column)) {
          return true;
        }
      }
    }
    return false;
  }
}
