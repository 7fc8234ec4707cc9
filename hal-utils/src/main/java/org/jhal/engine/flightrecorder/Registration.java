// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import java.util.function.BooleanSupplier;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Registers the events when the flight recorder is first used, since that takes tens of
 * milliseconds, which would not serve a program that is never recorded. The recorder calls a
 * listener before it applies the settings of its first recording: events that are registered while
 * it applies them are not recorded (seen with JDK 17).
 *
 * <p>The listener is removed with the last name, since the recorder keeps its class loader alive.
 *
 * <p>Thread-safe.
 */
final class Registration implements FlightRecorderListener {
  private static final Registration LISTENER = new Registration();

  /** Written with the class locked. */
  private static boolean isListening;

  /** Whether the events are registered. Written once, without a lock. */
  private static volatile boolean isDone;

  private Registration() {}

  /** Whether the events are registered. Only then may code refer to them. */
  static boolean isDone() {
    return isDone;
  }

  /** There is a name. Registers the events at once if the recorder is in use. */
  static void listen() {
    if (!isDone) {
      addListener();
    }
  }

  private static synchronized void addListener() {
    if (!isListening) {
      isListening = true;
      FlightRecorder.addListener(LISTENER); // it may call the listener
    }
  }

  /**
   * Removes the listener if there is no name. A name added at the same time is either seen by
   * {@code isUnused}, or adds the listener again.
   */
  static synchronized void stopIf(BooleanSupplier isUnused) {
    if (isListening && isUnused.getAsBoolean()) {
      isListening = false;
      FlightRecorder.removeListener(LISTENER);
    }
  }

  /** Called with a lock of the recorder held, so it takes none of this class. */
  @Override
  public void recorderInitialized(FlightRecorder recorder) {
    try {
      // Initialises all of them before any operation depends on them: a class whose initialisation
      // fails, such as on a nearly full stack, is unusable for good.
      boolean unused = Events.SUBMISSION.isEnabled();
      isDone = true;
    } catch (LinkageError | VirtualMachineError e) {
      // Nothing is recorded.
    }
  }
}
