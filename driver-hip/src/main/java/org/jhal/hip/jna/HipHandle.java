package org.jhal.hip.jna;

import com.sun.jna.Pointer;

/**
 * An opaque handle of the HIP runtime. It is null at first, is {@link #set} to what a call
 * returned, and is null again after {@link #take}. As a stream, null is the device's default
 * stream.
 *
 * <p>A destroyed handle must not be passed to any call: from ROCm 7 on that ends the process. So
 * take the handle when destroying it: {@code hipStreamDestroy(stream.take())}.
 *
 * <p>Not synchronised: whoever takes the handle ensures that nobody else uses it any more.
 */
public abstract class HipHandle extends Pointer {
  HipHandle() {
    super(0);
  }

  /** Makes this the handle {@code value}, as a call has returned it. */
  public final void set(long value) {
    peer = value;
  }

  /** The handle as a number; 0 if it is null. */
  public final long get() {
    return peer;
  }

  /** Whether the handle is null. */
  public final boolean isNull() {
    return peer == 0;
  }

  /**
   * Returns the handle as a number, and makes this null.
   *
   * @throws IllegalStateException if it is null, which would mean the default stream
   */
  public final long take() {
    long taken = peer;
    if (taken == 0) {
      throw new IllegalStateException("this " + getClass().getSimpleName() + " is null");
    }
    peer = 0;
    return taken;
  }
}
