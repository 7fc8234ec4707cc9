// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.List;

/**
 * A unit of input and output: equally long arrays, one for each buffer that a kernel reads, and
 * later one for each that it writes.
 */
final class BatchItem {
  private List<Object> inputs;
  private final int length;
  private final List<?> companions;
  private List<Object> outputs = List.of();
  private int missing;

  /**
   * An item.
   *
   * @param inputs an array for each buffer that the kernel reads
   * @param length the length of each
   * @param companions values that are passed through unchanged
   */
  BatchItem(List<Object> inputs, int length, List<?> companions) {
    this.inputs = inputs;
    this.length = length;
    this.companions = companions;
    this.missing = length;
  }

  int length() {
    return length;
  }

  List<?> companions() {
    return companions;
  }

  List<Object> inputs() {
    return inputs;
  }

  /** The arrays for the results, which are created on first use. */
  List<Object> outputs(List<PrimitiveArray> kinds) {
    if (outputs.isEmpty()) {
      outputs = kinds.stream().map(kind -> kind.newArray(length)).toList();
    }
    return outputs;
  }

  /** The results, once it is complete. */
  List<Object> results() {
    return outputs;
  }

  /** Counts elements whose results have arrived. After the last one, the inputs are dropped. */
  void complete(int count) {
    missing -= count;
    if (missing == 0) {
      inputs = List.of();
    }
  }

  boolean isComplete() {
    return missing == 0;
  }
}
