package org.jhal.cts;

import java.util.Set;
import org.jhal.DeviceQueue;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;

/**
 * Controls the inside of one device, for tests that must decide when its work runs and what fails.
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
   * for a queue. Returns false if that is impossible, or the device is in no group yet; the tests
   * that need it are then reported as unsupported.
   */
  default boolean pauseGroups() {
    return false;
  }

  /** Ends {@link #pauseGroups}. */
  default void resumeGroups() {}

  /**
   * The names of the native calls that can be made to fail. The tests of a name that is missing
   * here are reported as unsupported. The suite knows:
   *
   * <ul>
   *   <li>{@code createEvent}, {@code recordEvent}, {@code waitEvent}, {@code queryEvent}, {@code
   *       synchronizeEvent}, {@code issue}, {@code allocAsync}, {@code freeAsync}: a call on a
   *       stream, which then has no effect;
   *   <li>{@code allocate}, {@code importHost}, {@code load}, {@code enableAccess}: a call on the
   *       device, which then has no effect. The last one lets it use the memory of another device;
   *   <li>{@code map}, {@code invalidate}: making a mapping of memory, and the call that makes the
   *       device's writes visible to the host;
   *   <li>{@code free}, {@code unload}: giving back memory of {@code allocate}, and a loaded
   *       executable, which are gone all the same;
   *   <li>{@code bindToThread}, {@code unbindFromThread}: making the device current for a thread;
   *   <li>{@code command}: the handing over of one command while its operation is issued, when the
   *       commands before it have reached the stream. A driver that hands over all commands of an
   *       operation in one call omits this name;
   *   <li>{@code execute}: one command, while the stream runs it. Its operation fails, and work
   *       that was issued behind it still runs;
   *   <li>{@code outcome}: the answer how work has ended, of a driver whose runtime tells only
   *       whoever asks. The work has run;
   *   <li>{@code flush}: the call that makes the host's writes to a mapping visible to the device,
   *       when the mapping is flushed or closed. A driver whose mappings need no flushing omits
   *       this name;
   *   <li>{@code hostCompletion}: the work that the host does after the native work of an
   *       operation.
   * </ul>
   */
  Set<String> calls();

  /**
   * Makes the {@code nth} call of this name from now on fail, on any queue, without any effect.
   * Asked for more than once, several fail: each counts from when it was asked for.
   *
   * @param call one of {@link #calls()}
   * @param nth 1 for the next one
   * @param status the status that it fails with; UNAVAILABLE says that the device is lost
   * @param sticky whether the native error is one after which the device is lost (rule Q7), as each
   *     later call tells. With UNAVAILABLE and not sticky, the device runs nothing any more,
   *     either, and later calls need not tell so
   */
  void failNext(String call, int nth, Status status, boolean sticky);

  /** The native code of {@link #injected}. */
  NativeCode INJECTED = new NativeCode(-4711, "INJECTED");

  /**
   * The failure for a call that was made to fail; its message says that it is injected, and so does
   * its native code. The parameters are those of {@link #failNext}.
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
   * The native objects of the device that were made and not released, such as events, streams and
   * memory, in words for a message. Empty if there are none, or the driver does not count them. The
   * suite asks when the device, and all that was made with it, is closed.
   */
  default String leftovers() {
    return "";
  }

  /** Loses the device now, as if a running kernel had done it (rule Q7). */
  void loseDevice(HalException cause);

  /**
   * Resumes all streams, the hidden one included, and forgets failures that have not happened. A
   * lost device stays lost.
   */
  void reset();
}
