// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * One workgroup of a dispatch, as a kernel in the format {@code java} sees it:
 *
 * <pre>{@code
 * public static void saxpy(Workgroup group, long n, float a, Floats x, Floats y) {
 *   for (long i = group.firstX(); i < group.endX(n); i++) {
 *     y.set(i, a * x.get(i) + y.get(i));
 *   }
 * }
 * }</pre>
 *
 * <p>A kernel may take its parameters like this, in their order, each as a value or as a view of
 * its type; docs/kernels.md lists the types. Alternatively, it takes only the workgroup, and gets
 * the parameters from it by index.
 *
 * <p>The workgroups of a dispatch may run in parallel, in any order. The kernel itself loops over
 * the work items of its workgroup. If a kernel throws, its operation fails: with a {@link
 * org.jhal.HalException} as it is, with anything else as the cause of an ABORTED failure.
 *
 * <p>Valid on the calling thread until the kernel returns.
 */
public interface Workgroup {
  /** Returns this workgroup's index along the first axis, from 0. */
  int groupX();

  /** Returns this workgroup's index along the second axis, from 0. */
  int groupY();

  /** Returns this workgroup's index along the third axis, from 0. */
  int groupZ();

  /** Returns the number of workgroups of the dispatch along the first axis. */
  int countX();

  /** Returns the number of workgroups of the dispatch along the second axis. */
  int countY();

  /** Returns the number of workgroups of the dispatch along the third axis. */
  int countZ();

  /** Returns the number of work items of this workgroup along the first axis. */
  int sizeX();

  /** Returns the number of work items of this workgroup along the second axis. */
  int sizeY();

  /** Returns the number of work items of this workgroup along the third axis. */
  int sizeZ();

  /**
   * Returns the index within the dispatch of this workgroup's first work item along the first axis.
   */
  default long firstX() {
    return (long) groupX() * sizeX();
  }

  /**
   * Returns the index after this workgroup's last work item along the first axis, but at most
   * {@code items}.
   *
   * @param items the number of items to compute along this axis
   */
  default long endX(long items) {
    return Math.min(items, firstX() + sizeX());
  }

  /**
   * Returns the index within the dispatch of this workgroup's first work item along the second
   * axis.
   */
  default long firstY() {
    return (long) groupY() * sizeY();
  }

  /**
   * Returns the index after this workgroup's last work item along the second axis, but at most
   * {@code items}.
   *
   * @param items the number of items to compute along this axis
   */
  default long endY(long items) {
    return Math.min(items, firstY() + sizeY());
  }

  /**
   * Returns the index within the dispatch of this workgroup's first work item along the third axis.
   */
  default long firstZ() {
    return (long) groupZ() * sizeZ();
  }

  /**
   * Returns the index after this workgroup's last work item along the third axis, but at most
   * {@code items}.
   *
   * @param items the number of items to compute along this axis
   */
  default long endZ(long items) {
    return Math.min(items, firstZ() + sizeZ());
  }

  /**
   * Returns the buffer that was passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a constant
   */
  KernelMemory memory(int index);

  /**
   * Returns the integer constant of at most 32 bits that was passed for parameter {@code index}.
   * Signed types of fewer bits are sign-extended, unsigned ones zero-extended.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  int i32(int index);

  /**
   * Returns the integer constant that was passed for parameter {@code index}. Signed types of fewer
   * than 64 bits are sign-extended, unsigned ones zero-extended.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant is not an integer
   */
  long i64(int index);

  /**
   * Returns the {@code f32}, {@code f16} or {@code bf16} constant that was passed for parameter
   * {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  float f32(int index);

  /**
   * Returns the constant of any floating-point type that was passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  double f64(int index);

  /**
   * Returns the struct that was passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is no struct
   */
  KernelStruct struct(int index);

  /**
   * Returns the memory that belongs to this workgroup alone. It is as large as the kernel's dynamic
   * shared memory, and zeroed when the kernel starts.
   */
  KernelMemory shared();

  /**
   * Waits until all workgroups of the dispatch have called this, as often as this one has. What
   * each has written before, all see after it. For kernels that their bundle declares as
   * cooperative (rule M6b); there, each workgroup runs on a thread of its own.
   *
   * <p>If a workgroup ends while others wait, or throws, the call throws in the others, and the
   * operation fails.
   *
   * @throws IllegalStateException if the kernel is not declared as cooperative
   * @throws org.jhal.HalException ABORTED if a workgroup has ended or failed for which this one
   *     waits
   */
  default void syncGrid() {
    throw new IllegalStateException(
        this + " cannot wait for the others: its kernel is not declared as cooperative");
  }
}
