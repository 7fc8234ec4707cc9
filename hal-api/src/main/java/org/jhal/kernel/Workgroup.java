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
 * <p>A kernel may take its parameters so, each as a value or a view of its type, in their order;
 * docs/kernels.md has the types. Or it takes only the workgroup, and asks that for them by index.
 *
 * <p>The workgroups of a dispatch may run in parallel, in any order. The kernel itself loops over
 * the work items of its workgroup. A kernel that throws fails its operation with ABORTED and the
 * exception as the cause.
 *
 * <p>Valid on the calling thread until the kernel returns.
 */
public interface Workgroup {
  /** This workgroup's index along the first axis. */
  int groupX();

  /** This workgroup's index along the second axis. */
  int groupY();

  /** This workgroup's index along the third axis. */
  int groupZ();

  /** How many workgroups there are along the first axis. */
  int countX();

  /** How many workgroups there are along the second axis. */
  int countY();

  /** How many workgroups there are along the third axis. */
  int countZ();

  /** How many work items this workgroup has along the first axis. */
  int sizeX();

  /** How many work items this workgroup has along the second axis. */
  int sizeY();

  /** How many work items this workgroup has along the third axis. */
  int sizeZ();

  /** The index in the dispatch of this workgroup's first work item along the first axis. */
  default long firstX() {
    return (long) groupX() * sizeX();
  }

  /**
   * The index after this workgroup's last work item along the first axis, but at most {@code
   * items}, which is how many there are to compute.
   */
  default long endX(long items) {
    return Math.min(items, firstX() + sizeX());
  }

  /** The index in the dispatch of this workgroup's first work item along the second axis. */
  default long firstY() {
    return (long) groupY() * sizeY();
  }

  /**
   * The index after this workgroup's last work item along the second axis, but at most {@code
   * items}, which is how many there are to compute.
   */
  default long endY(long items) {
    return Math.min(items, firstY() + sizeY());
  }

  /** The index in the dispatch of this workgroup's first work item along the third axis. */
  default long firstZ() {
    return (long) groupZ() * sizeZ();
  }

  /**
   * The index after this workgroup's last work item along the third axis, but at most {@code
   * items}, which is how many there are to compute.
   */
  default long endZ(long items) {
    return Math.min(items, firstZ() + sizeZ());
  }

  /**
   * The buffer passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a constant
   */
  KernelMemory memory(int index);

  /**
   * The integer constant of at most 32 bits passed for parameter {@code index}. Signed types of
   * fewer bits are sign-extended, unsigned ones zero-extended.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  int i32(int index);

  /**
   * The integer constant passed for parameter {@code index}. Signed types of fewer than 64 bits are
   * sign-extended, unsigned ones zero-extended.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant is not an integer
   */
  long i64(int index);

  /**
   * The {@code f32}, {@code f16} or {@code bf16} constant passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  float f32(int index);

  /**
   * The constant of any floating-point type passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  double f64(int index);

  /** Memory of this workgroup alone, as large as the kernel's dynamic shared memory, zeroed. */
  KernelMemory shared();
}
