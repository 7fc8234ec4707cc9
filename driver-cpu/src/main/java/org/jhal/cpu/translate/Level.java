// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

/** How the work items of a workgroup are run, the fastest first. */
public enum Level {
  /** One after the other to their end, since they never meet. */
  PLAIN,
  /** As {@link #PLAIN}, but code asks the thread which item it is. */
  ASKING,
  /** As {@link #FISSION}, but some loops are run by several items together, as vectors. */
  LOCKSTEP,
  /** Divided at the barriers: one after the other from each barrier to the next. */
  FISSION,
  /** Each item is a coroutine that stops at barriers. */
  COROUTINE,
  /** Each item has a stack of its own, and code asks the thread which item it is. */
  FIBER
}
