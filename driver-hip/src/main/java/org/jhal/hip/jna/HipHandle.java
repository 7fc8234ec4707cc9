package org.jhal.hip.jna;

import com.sun.jna.Pointer;

/**
 * An opaque handle of the HIP runtime. It begins as null, is {@link #set} to what a call has made,
 * and is null again after {@link #take}. As a stream, null is the device's default stream.
 *
 * <p>A handle that was destroyed must not be passed to any call: from ROCm 7 on that ends the
 * process. So who destroys takes: {@code hipStreamDestroy(stream.take())}.
 *
 * <p>Not synchronised: who takes sees to it that nobody uses the handle any more.
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

  /** Whether there is none, or none any more. */
  public final boolean isNull() {
    return peer == 0;
  }

  /**
   * The handle as a number, which this is not from now on.
   *
   * @throws IllegalStateException if it is null: it would mean the default stream
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
