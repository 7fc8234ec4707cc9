// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import java.util.Set;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;

/**
 * Controls the internals of one device, for tests that decide when its work runs and what fails.
 *
 * <p>Thread-safe.
 */
public interface Controls {
  /**
   * Holds the native stream of {@code queue}: work in it waits, except for work that is already
   * running. Nothing else of the device is held.
   */
  void pause(DeviceQueue queue);

  /** Resumes the native stream of {@code queue}. */
  void resume(DeviceQueue queue);

  /**
   * Holds the hidden native stream that serves the groups of this device, as {@link #pause} does
   * for a queue. Returns false if that is impossible or the device is in no group yet; the tests
   * that need it are then unsupported.
   */
  default boolean pauseGroups() {
    return false;
  }

  /** Ends {@link #pauseGroups}. */
  default void resumeGroups() {}

  /**
   * The names of the native calls that can be made to fail. Tests that need a name which is missing
   * here are unsupported. A name that the suite does not know is an error, since no test would
   * cover the call. The suite knows:
   *
   * <ul>
   *   <li>{@code createEvent}, {@code submit}, {@code recordEvent}, {@code waitEvent}, {@code
   *       queryEvent}, {@code synchronizeEvent}, {@code issue}, {@code allocAsync}, {@code
   *       freeAsync}: a call on a stream, which then has no effect;
   *   <li>{@code allocate}, {@code importHost}, {@code importDevice}, {@code load}, {@code
   *       enableAccess}: a call on the device, which then has no effect. {@code enableAccess} lets
   *       the device use the memory of another one;
   *   <li>{@code map}, {@code invalidate}: creating a mapping of memory, and making the device's
   *       writes visible to the host;
   *   <li>{@code free}, {@code unload}: freeing memory of {@code allocate}, and unloading an
   *       executable. Both are released all the same;
   *   <li>{@code bindToThread}, {@code unbindFromThread}: making the device current for a thread,
   *       and ending that;
   *   <li>{@code command}: submitting one command while its operation is issued, after the commands
   *       before it have reached the stream. A driver that submits all commands of an operation in
   *       one call omits this name;
   *   <li>{@code execute}: one command, while the stream runs it. Its operation fails, and work
   *       issued after it still runs;
   *   <li>{@code outcome}: the query for the outcome of work that has run, in a driver whose
   *       runtime reports failed work only when queried;
   *   <li>{@code flush}: making the host's writes to a mapping visible to the device, when the
   *       mapping is flushed or closed. A driver whose mappings need no flushing omits this name;
   *   <li>{@code hostCompletion}: the work that the host does after the native work of an
   *       operation;
   *   <li>{@code createStream}, {@code closeStream}, {@code destroyEvent}, {@code close}: a call
   *       while a device is opened or closed, which no test of the suite makes fail.
   * </ul>
   */
  Set<String> calls();

  /**
   * Makes the {@code nth} call of this name, counted from now, fail on any queue, without any
   * effect. Requests add up: each counts from the time at which it was made.
   *
   * @param call one of {@link #calls()}
   * @param nth 1 for the next one
   * @param status the status that it fails with; UNAVAILABLE means that the device is lost
   * @param sticky whether the device is lost after the native error, and each later call reports it
   *     (rule Q7). If the status is UNAVAILABLE and this is false, the device stops running work
   *     too, but later calls need not report it
   */
  void failNext(String call, int nth, Status status, boolean sticky);

  /** The native code of {@link #injected}. */
  NativeCode INJECTED = new NativeCode(-4711, "INJECTED");

  /**
   * The failure of a call that was made to fail. Its message and its native code state that it is
   * injected. The parameters are those of {@link #failNext}.
   */
  static HalException injected(String call, int nth, Status status, boolean sticky) {
    return new HalException(
        sticky ? Status.UNAVAILABLE : status,
        "use "
            + nth
            + " of "
            + call
            + " was made to fail with "
            + status
            + (sticky ? ", and to lose the device" : ""),
        null,
        INJECTED);
  }

  /**
   * Describes the native objects of the device that were created and not released, such as events,
   * streams and memory. Empty if there are none, or the driver does not count them. The suite calls
   * this when the device and everything created with it are closed.
   */
  default String leftovers() {
    return "";
  }

  /** Loses the device now, as if a running kernel had caused it (rule Q7). */
  void loseDevice(HalException cause);

  /**
   * Resumes all streams, including the hidden one, and discards failures that have not happened. A
   * lost device stays lost.
   */
  void reset();
}
