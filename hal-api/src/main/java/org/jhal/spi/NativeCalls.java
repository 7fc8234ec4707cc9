// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

/**
 * Some calls of the native runtime, as a program makes them that uses it alongside JHAL. A driver
 * with {@link org.jhal.Capability#NATIVE_ACCESS} offers this interface through {@link
 * org.jhal.Device#unwrap}, so that the conformance suite can act as such a program without knowing
 * the runtime.
 *
 * <p>Each method works whether or not the device is current on the thread, except for {@link
 * #isCurrent}. A stream is one that this object has created, or the one that external work gets; an
 * event is one that this object has created. Failures are {@link org.jhal.HalException}s.
 *
 * <p>Thread-safe.
 */
public interface NativeCalls {
  /** Allocates memory of the device, outside of any pool, and returns its address. */
  long allocate(long bytes);

  /** Frees memory from {@link #allocate}. May wait until the device is idle. */
  void free(long address);

  /** Creates a stream, and returns its handle. */
  long createStream();

  /** Destroys a stream from {@link #createStream} once its work has ended. */
  void destroyStream(long stream);

  /** Waits until all work in a stream has ended. */
  void synchronize(long stream);

  /** Fills memory, in the order of a stream. */
  void fill(long stream, long address, byte value, long bytes);

  /** Copies memory within the device, in the order of a stream. */
  void copy(long stream, long target, long source, long bytes);

  /** Creates an event, and returns its handle. */
  long createEvent();

  /** Destroys an event from {@link #createEvent}. */
  void destroyEvent(long event);

  /** Records an event in a stream. */
  void record(long event, long stream);

  /** Makes a stream wait for an event. */
  void await(long stream, long event);

  /** Returns whether the device is current on the calling thread. */
  boolean isCurrent();

  /**
   * Makes another device current on the calling thread, or none, as a careless program does.
   *
   * @return false if the runtime always has a current device and there is no other one
   */
  boolean makeNoneCurrent();
}
