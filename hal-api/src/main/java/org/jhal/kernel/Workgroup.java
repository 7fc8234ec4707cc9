package org.jhal.kernel;

/**
 * One workgroup of a dispatch, as a kernel in the format {@code java} sees it:
 *
 * <pre>{@code
 * public static void saxpy(Workgroup group) {
 *   int n = group.i32(0);
 *   float a = group.f32(1);
 *   KernelMemory x = group.memory(2);
 *   KernelMemory y = group.memory(3);
 *   long first = (long) group.groupX() * group.sizeX();
 *   for (long i = first; i < Math.min(n, first + group.sizeX()); i++) {
 *     y.putFloat(4 * i, a * x.getFloat(4 * i) + y.getFloat(4 * i));
 *   }
 * }
 * }</pre>
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
   * The {@code f32} constant passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  float f32(int index);

  /**
   * The {@code f64} or {@code f32} constant passed for parameter {@code index}.
   *
   * @throws IndexOutOfBoundsException if there is no such parameter, or it is a buffer
   * @throws IllegalArgumentException if the constant has another type
   */
  double f64(int index);

  /** Memory of this workgroup alone, as large as the kernel's dynamic shared memory, zeroed. */
  KernelMemory shared();
}
