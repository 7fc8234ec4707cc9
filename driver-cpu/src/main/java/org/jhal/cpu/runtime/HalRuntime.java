// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.runtime;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** The functions of the native runtime for Java, once {@link #load} has loaded it. */
public final class HalRuntime {
  private HalRuntime() {}

  /** Loads the library from a file, which is not needed afterwards. Called once. Returns true. */
  static boolean load(String file) {
    Native.register(HalRuntime.class, NativeLibrary.getInstance(file));
    return true;
  }

  /** Starts threads. Returns 0 if one of them cannot be started; then none is left. */
  public static native long hal_pool_open(int threads, String name);

  /** Ends the threads, none of which runs a kernel. */
  public static native void hal_pool_close(long pool);

  /**
   * Lets at most {@code most} threads of a pool run kernels from now on; those that run more go on
   * until they have ended a few workgroups.
   */
  public static native void hal_pool_limit(long pool, int most);

  /**
   * Runs grids one after the other, up to the first that fails. Returns why that has failed, or 0;
   * see {@link Failure}.
   *
   * @param rank threads run those of a higher one first
   * @param grids where {@code count} grids lie, each a {@code hal_grid}
   * @param ended where an {@code int} is written: how many have ended, the failed one among them
   */
  public static native int hal_pool_run(long pool, int rank, long grids, int count, long ended);

  /** Writes more about the last failure that {@link #hal_pool_run} has returned on this thread. */
  public static native void hal_failure_text(byte[] text, int size);

  /**
   * Opens a library of kernels. Returns 0, and the reason, if that fails.
   *
   * @param isRefused its element is set to 1 if the loader refuses the library, and to 0 if the
   *     process lacks memory or files
   */
  public static native long hal_library_open(
      byte[] code, int size, byte[] reason, int reasonSize, int[] isRefused);

  /** Closes a library of kernels. */
  public static native void hal_library_close(long library);

  /** A kernel of a library; 0 if there is none of this index. */
  public static native long hal_library_kernel(long library, int index);

  /**
   * The address of a variable of a library; 0 if there is none of this index.
   *
   * @param size its element is set to the size in bytes
   */
  public static native long hal_library_global(long library, int index, long[] size);

  /** How many parameters a kernel has. */
  public static native int hal_kernel_count(long kernel);

  /** How long a parameter is, in bytes. */
  public static native int hal_kernel_size(long kernel, int index);

  /** How a kernel is run, and why not faster; for people. */
  public static native String hal_kernel_note(long kernel);

  /** The alignment of a parameter, in bytes. */
  public static native int hal_kernel_align(long kernel, int index);

  /** Whether a parameter is a pointer. */
  public static native int hal_kernel_is_pointer(long kernel, int index);

  /** What is launched: a kernel, and how long its workgroups take. Returns 0 without memory. */
  public static native long hal_function_make(long kernel);

  /**
   * How many workgroups that wait for each other the runtime holds, each on a thread of its own:
   * {@code HAL_RESIDENT}.
   */
  public static final int RESIDENT = 64;

  /** Lets the workgroups of a kernel wait for each other; at most {@link #RESIDENT} of a grid. */
  public static native void hal_function_cooperate(long function);

  /** Frees what {@link #hal_function_make} has made. */
  public static native void hal_function_free(long function);

  /**
   * The address at which the kernel tried to access memory whose failure {@link #hal_pool_run} has
   * returned last on this thread; 0 if it failed for another reason, or the address is not known.
   */
  public static native long hal_failure_address();

  /**
   * Allocates a block of memory, aligned to 64 bytes. Returns where its address lies, or 0 if there
   * is not enough memory.
   */
  public static native long hal_memory_allocate(long size);

  /**
   * Frees a block; 0 is none. Returns whether bytes just outside it have changed: in the lower 16
   * bits how far before its start, above these how far past its end.
   */
  public static native long hal_memory_free(long block);

  /**
   * Returns whether bytes just outside one of some blocks have changed, as {@link #hal_memory_free}
   * does, with the index of the first such block from bit 32 on. Restores the bytes.
   *
   * @param blocks the address of that many blocks; 0 is none
   */
  public static native long hal_memory_check(long blocks, int count);

  /** As {@link #hal_memory_check(long, int)}. */
  public static native long hal_memory_check(long[] blocks, int count);

  /** Gives memory back to the system that was freed and is kept for later blocks. */
  public static native void hal_memory_trim();

  /**
   * Makes what the dispatches of a device are checked by; returns 0 if there is no memory.
   *
   * @param what the sum of what is checked, by {@code hal_check.h}
   */
  public static native long hal_check_make(int what, int threads);

  /** Frees what {@link #hal_check_make} has made; nothing uses it any more. */
  public static native void hal_check_free(long check);

  /** Begins a dispatch, which may not use any memory yet, and forgets what was found before. */
  public static native void hal_check_begin(long check);

  /**
   * Lets the dispatch use a part of a block. Returns 0 if there is no room for another range.
   *
   * @param shadow of the block, or 0
   */
  public static native int hal_check_range(
      long check, long base, long size, int number, int flags, long shadow);

  /**
   * Lets the dispatch use a variable of the thread; those in shared memory come first. Returns 0 if
   * there is no room.
   */
  public static native int hal_check_variable(
      long check, int anchor, int offset, int size, int isShared);

  /** Keeps what is known of the bytes of a block; returns 0 if there is no memory. */
  public static native long hal_shadow_make(long check, long base, long size, int isAllWritten);

  /** Frees what {@link #hal_shadow_make} has made. 0 is allowed. */
  public static native void hal_shadow_free(long shadow);

  /** Notes that something else than a kernel has written a part of a block. 0 is allowed. */
  public static native void hal_shadow_written(long shadow, long offset, long size);

  /** Notes that a part of a block was copied from another. 0 is allowed. */
  public static native void hal_shadow_copied(
      long to, long toOffset, long from, long fromOffset, long size);

  /**
   * Looks for elements that nothing has written. Returns how many there are, and writes the number
   * of the first one. 0 is allowed.
   */
  public static native long hal_shadow_unwritten(
      long shadow, long offset, long size, int element, long[] first);

  /**
   * Writes where the dispatch has first written bytes of a parameter that nothing had written: the
   * code, the workgroup and the item. Returns 0 if it has not.
   */
  public static native int hal_check_first(long check, int number, long[] place);

  /**
   * Writes five numbers for each of some elements of a parameter: whether it is inside, and the
   * workgroup and the item that have written it last, and that have read it, or -1.
   */
  public static native void hal_check_touched(
      long check, int number, long first, int count, int element, long[] items);

  /** How many findings the dispatch has. */
  public static native int hal_check_found(long check);

  /** Writes the fields of a finding, in the order of {@code hal_finding}. */
  public static native void hal_check_finding(long check, int index, long[] fields);

  /** Says what the dispatches of a kernel are checked by, which was compiled for that. */
  public static native void hal_function_check(long function, long check);

  /** Copies bytes between ranges that may overlap. */
  public static native void hal_memory_copy(long to, long from, long size);

  /** Repeats a pattern, the lowest byte first. */
  public static native void hal_memory_fill(long to, long size, int pattern, int patternBytes);
}
