// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.journal;

import java.nio.ByteBuffer;
import org.jhal.BufferParams;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * The record of one device. The order of the calls is an order in which the operations may run one
 * after the other: an operation is recorded when it is about to be issued, and all that it waits
 * for were issued before.
 *
 * <p>Nothing that it does fails a call of the program: if the recording cannot be written, it ends.
 *
 * <p>Thread-safe. Its methods take as long as the bytes need that they record.
 */
public interface Journal extends AutoCloseable {
  /** Where memory comes from. */
  enum Origin {
    /** The device has allocated it. */
    ALLOCATED,
    /** Memory of the program, which the host may write at any time. */
    HOST,
    /** Memory of a native runtime, whose contents nothing here knows. */
    NATIVE
  }

  /** A module of kernels was loaded for this bundle, with its overlays. */
  void loaded(KernelModule module, ExecutableSource bundle);

  /**
   * There is memory from now on.
   *
   * @param imported the bytes of {@link Origin#HOST}, else null
   */
  void allocated(
      DeviceMemory memory,
      long size,
      BufferParams params,
      Origin origin,
      @Nullable ByteBuffer imported);

  /** There is access to the memory of a variable of a module from now on. */
  void global(DeviceMemory memory, KernelModule module, Global global);

  /** The program has given the memory a name. */
  void named(DeviceMemory memory, String name);

  /** The program has acquired a queue, of which nothing was issued so far. */
  void acquired(String queue, QueueRequest request, QueueGrant grant);

  /** Two operations that touch the same bytes have no order, of which the device has the second. */
  void hazard(String text);

  /** No operation that is recorded from now on uses the memory. */
  void freed(DeviceMemory memory);

  /**
   * The program is about to write a range of memory by a mapping.
   *
   * @param bytes the range; readable until {@link Mapping#end} has returned
   * @param keeps whether what it does not write keeps its value
   */
  Mapping mapped(DeviceMemory memory, long offset, ByteBuffer bytes, boolean keeps);

  /**
   * An operation is about to be issued: the device has begun none of it. Called once for each, also
   * for one that then cannot be issued and fails.
   */
  Entry issuing(IssuedOperation operation);

  /** The device is closed. */
  @Override
  void close();

  /** A mapping for writes. */
  interface Mapping {
    /** The program does not write by it any more. Called once. */
    void end();
  }

  /** An operation that was recorded. */
  interface Entry {
    /**
     * Its outcome is decided. Called before its signals change and before host memory is given
     * back, by each thread that applies the outcome; returns when what is to be recorded of it is.
     *
     * @param failure null if it has succeeded
     */
    void ending(@Nullable HalException failure);
  }
}
