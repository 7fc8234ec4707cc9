package org.jhal.spi;

import java.util.function.Consumer;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * An open device that can tell its open operations, for {@link Hal#explain}. Whoever implements
 * devices without the engine of JHAL passes one for each device to {@link Explanations#register}.
 *
 * <p>Any thread may call the methods at any time: also one that runs a callback or issues work, and
 * while the device hangs, is lost or is being closed. So they wait for nothing, and hold no lock
 * for long.
 */
public interface Explainable {
  /** The name of the device, such as {@code cuda-0}. */
  String name();

  /** Why the device is lost, or null if it is not. */
  @Nullable HalException lostCause();

  /**
   * Passes the open operations to {@code looker}, on this thread and with no lock held, those of
   * one queue together and the newest first: if there are too many, the last ones are kept.
   * Operations that begin or end meanwhile may be missed.
   *
   * <p>An operation may only be missing because it ended if its signals are visible by then.
   */
  void tellOpen(Consumer<OpenOperation> looker);
}
