// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.io.Serializable;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * How the elements of a partition become items of a {@link BatchPipeline}, and its items results.
 *
 * @param <I> the type of the input's elements
 * @param <O> the type of the results
 */
interface BatchForm<I, O> extends Serializable {
  /** A partition that is being mapped. For one thread. */
  interface Run<O> extends AutoCloseable {
    /** The next result; null after the last one. */
    @Nullable O next();

    @Override
    void close();
  }

  /**
   * Begins to map a partition.
   *
   * @param kernel is closed with the result, unless this throws
   * @param input the elements, at least one
   * @throws org.jhal.HalException INVALID_ARGUMENT if the kernel does not fit
   */
  Run<O> open(TaskDevice task, BatchKernel kernel, int batchBytes, Iterator<I> input);
}
