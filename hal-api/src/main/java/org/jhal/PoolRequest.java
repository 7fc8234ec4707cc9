// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * What a {@link MemoryPool} is to be. Immutable.
 *
 * @param budget the most bytes that its buffers may have together; at least 1
 * @param overBudget what becomes of an alloca for which too little of the budget is left
 * @param name for messages; not empty
 */
public record PoolRequest(long budget, OverBudget overBudget, String name) {
  /** What becomes of an alloca for which too little of the budget is left. */
  public enum OverBudget {
    /** It fails with RESOURCE_EXHAUSTED. */
    FAIL,
    /**
     * It waits until enough of the budget is left, behind those that wait already. More than the
     * whole budget is never left, so for such an alloca this is {@link #FAIL}.
     */
    WAIT
  }

  /**
   * Checks the budget and the name.
   *
   * @throws HalException OUT_OF_RANGE if {@code budget} is less than 1; INVALID_ARGUMENT if {@code
   *     name} is empty
   */
  public PoolRequest {
    Objects.requireNonNull(overBudget, "overBudget");
    Objects.requireNonNull(name, "name");
    if (budget < 1) {
      throw new HalException(
          Status.OUT_OF_RANGE, "budget of " + budget + " bytes; it must be at least 1");
    }
    if (name.isEmpty()) {
      throw new HalException(Status.INVALID_ARGUMENT, "the name of a pool must not be empty");
    }
  }

  /**
   * Returns a request for a pool named {@code pool}, in which allocas over the budget fail.
   *
   * @throws HalException OUT_OF_RANGE if {@code budget} is less than 1
   */
  public static PoolRequest of(long budget) {
    return new PoolRequest(budget, OverBudget.FAIL, "pool");
  }

  /** Returns this request with {@link OverBudget#WAIT}. */
  public PoolRequest waiting() {
    return new PoolRequest(budget, OverBudget.WAIT, name);
  }

  /**
   * Returns this request with another name.
   *
   * @throws HalException INVALID_ARGUMENT if {@code name} is empty
   */
  public PoolRequest withName(String name) {
    return new PoolRequest(budget, overBudget, name);
  }
}
