// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Which kernel computes batches, and how large they are.
 *
 * @param constants the values of the kernel's constants, but for the count
 * @param batchBytes the most bytes of input of a batch
 */
record BatchSettings(
    SparkBundle bundle, String kernel, Map<String, Number> constants, int batchBytes)
    implements Serializable {
  private static final int DEFAULT_BATCH_BYTES = 16 << 20;
  private static final int MOST_BATCH_BYTES = 1 << 30;

  static BatchSettings of(SparkBundle bundle, String kernel) {
    return new BatchSettings(
        Objects.requireNonNull(bundle, "bundle"),
        Objects.requireNonNull(kernel, "kernel"),
        Map.of(),
        DEFAULT_BATCH_BYTES);
  }

  /** See {@link HalPartitions#withConstant}. */
  BatchSettings withConstant(String name, Number value) {
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
    return new BatchSettings(bundle, kernel, Collections.unmodifiableMap(more), batchBytes);
  }

  /** See {@link HalPartitions#withBatchBytes}. */
  BatchSettings withBatchBytes(long bytes) {
    if (bytes < 1 || bytes > MOST_BATCH_BYTES) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "batches of " + bytes + " bytes: needs 1 to " + MOST_BATCH_BYTES + " (1 GiB)");
    }
    return new BatchSettings(bundle, kernel, constants, (int) bytes);
  }

  @Override
  public String toString() {
    return "kernel " + kernel + " of " + bundle;
  }
}
