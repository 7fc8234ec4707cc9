package org.jhal.spi;

/**
 * Some calls of the native runtime, as a program would make them that uses it beside JHAL. A driver
 * with {@link org.jhal.Capability#NATIVE_ACCESS} offers it through {@link org.jhal.Device#unwrap},
 * so that the conformance suite can be such a program without knowing the runtime.
 *
 * <p>Each method works with or without the device being current on the thread, except for {@link
 * #isCurrent}. Failures are {@link org.jhal.HalException}s. Thread-safe.
 */
public interface NativeCalls {
  /** Allocates memory of the device, outside of any pool. */
  long allocate(long bytes);

  /** Frees memory from {@link #allocate}; may wait until the device is idle. */
  void free(long address);

  /** Creates a stream. */
  long createStream();

  /** Destroys a stream from {@link #createStream} once its work is over. */
  void destroyStream(long stream);

  /** Waits until everything in a stream, of this object or lent by the device, is over. */
  void synchronize(long stream);

  /** Fills memory, in the order of a stream of this object or lent by the device. */
  void fill(long stream, long address, byte value, long bytes);

  /** Copies within the device, in the order of a stream of this object or lent by the device. */
  void copy(long stream, long target, long source, long bytes);

  /** Creates an event. */
  long createEvent();

  /** Destroys an event from {@link #createEvent}. */
  void destroyEvent(long event);

  /** Records an event of this object in a stream of this object or lent by the device. */
  void record(long event, long stream);

  /** Makes a stream of this object or lent by the device wait for an event of this object. */
  void await(long stream, long event);

  /** Whether the device is current on the calling thread. */
  boolean isCurrent();

  /**
   * Leaves the calling thread with another device current, or none, as a careless program does.
   * Returns false if this runtime always has a current device and there is no other.
   */
  boolean makeNoneCurrent();
}
