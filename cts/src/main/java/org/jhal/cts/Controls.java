package org.jhal.cts;

import java.util.Set;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * A handle on what happens inside one device, for tests that must decide when its work runs and
 * what fails.
 *
 * <p>Thread-safe.
 */
public interface Controls {
  /**
   * Holds the native stream of {@code queue}: what is handed to it waits, except for what runs
   * already. Nothing else of the device is held.
   */
  void pause(DeviceQueue queue);

  /** Lets the native stream of {@code queue} go on. */
  void resume(DeviceQueue queue);

  /**
   * The names of the native calls that can be made to fail. Among them, where the driver has such
   * calls: {@code createEvent}, {@code recordEvent}, {@code waitEvent}, {@code queryEvent}, {@code
   * synchronizeEvent}, {@code issue}, {@code allocAsync}, {@code freeAsync}, {@code allocate},
   * {@code load}; and {@code command}, one command of an operation while it is issued, when those
   * before it have reached the stream, {@code execute}, one command while the stream runs it, and
   * {@code hostCompletion}, what a driver leaves to the host after the native work.
   */
  Set<String> calls();

  /**
   * Makes the {@code nth} call from now on of a name fail, on whichever queue, without any effect.
   *
   * @param call one of {@link #calls()}
   * @param nth 1 for the next one
   * @param status that it fails with
   * @param sticky whether the native error is one after which the device is lost (rule Q7)
   */
  void failNext(String call, int nth, Status status, boolean sticky);

  /** Loses the device now, as if a running kernel had done it (rule Q7). */
  void loseDevice(HalException cause);

  /** Resumes all streams and forgets failures that have not happened. A lost device stays lost. */
  void reset();
}
