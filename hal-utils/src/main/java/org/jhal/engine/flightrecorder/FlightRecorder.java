// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import org.jspecify.annotations.Nullable;

/**
 * Records events for the flight recorder of the JDK. docs/tracing.md lists them.
 *
 * <p>A caller first asks whether an event is recorded, and only then collects its values. So an
 * event that is not recorded costs a read of two fields, and no allocation. Without the module
 * {@code jdk.jfr} nothing is recorded.
 *
 * <p>Operations are passed as numbers, so a recording keeps none alive. Thread-safe; calls no
 * users' code and takes no lock of the engine.
 */
public final class FlightRecorder {
  // Guards the class that refers to the recorder, which cannot be loaded without jdk.jfr.
  private static final boolean HAS_RECORDER = hasRecorder();

  private FlightRecorder() {}

  private static boolean hasRecorder() {
    try {
      boolean unused = jdk.jfr.FlightRecorder.isInitialized();
      return true;
    } catch (LinkageError | VirtualMachineError e) {
      return false; // the module is not in this Java or not resolved, or memory is short
    }
  }

  /** Whether events may be recorded. Guards all code that refers to them. */
  private static boolean isOn() {
    return HAS_RECORDER && Registration.isDone();
  }

  /** {@code event}, for which all names that it may refer to are recorded. */
  private static <E> E named(E event) {
    Chunks.nameAll();
    return event;
  }

  static void name(Names.Named named) {
    if (HAS_RECORDER) {
      Registration.listen();
    }
    if (isOn() && Events.NAMING.isEnabled()) {
      Chunks.nameAll();
      Chunks.name(named);
    }
  }

  /** The last name is gone. */
  static void unname() {
    if (HAS_RECORDER) {
      Registration.stopIf(() -> Names.live().isEmpty());
    }
    if (isOn()) {
      Chunks.unhookIfUnused();
    }
  }

  // Operations.

  public static boolean recordsSubmissions() {
    return isOn() && Events.SUBMISSION.isEnabled();
  }

  /** For {@link #recordsSubmissions}. */
  public static void submission(
      long queue, long operation, String kind, long kernel, int commands, int waits, int signals) {
    Events.Submission event = named(new Events.Submission());
    event.set(queue, operation);
    event.kind = kind;
    event.kernel = kernel;
    event.commands = commands;
    event.waits = waits;
    event.signals = signals;
    event.commit();
  }

  public static boolean recordsEdges() {
    return isOn() && Events.EDGE.isEnabled();
  }

  /** Begins a signal of this thread; null if signals are not recorded. */
  public static @Nullable Span hostSignal(long timeline, long value) {
    if (!recordsEdges()) {
      return null;
    }
    Events.Edge event = named(new Events.Edge());
    event.timeline = Names.inProcess(timeline);
    event.value = value;
    event.isSignal = true;
    event.begin();
    return event;
  }

  /** A timepoint of an operation, for {@link #recordsEdges}. */
  public static void edge(long timeline, long value, boolean isSignal, long queue, long operation) {
    Events.Edge event = named(new Events.Edge());
    event.timeline = Names.inProcess(timeline);
    event.value = value;
    event.isSignal = isSignal;
    event.queue = queue;
    event.operation = operation;
    event.commit();
  }

  public static boolean recordsOperations() {
    return isOn() && Events.OPERATION.isEnabled();
  }

  /**
   * For {@link #recordsOperations}: an operation is being issued, or has failed unissued. Its span
   * ends with null for success, or with the status of its failure.
   */
  public static Span operation(long queue, long operation) {
    Events.Operation event = named(new Events.Operation());
    event.set(queue, operation);
    event.begin();
    return event;
  }

  public static boolean recordsHostCompletions() {
    return isOn() && Events.HOST_COMPLETION.isEnabled();
  }

  /** For {@link #recordsHostCompletions}. */
  public static Span hostCompletion(long queue, long operation) {
    Events.HostCompletion event = named(new Events.HostCompletion());
    event.set(queue, operation);
    event.begin();
    return event;
  }

  public static boolean recordsTransfers() {
    return isOn() && Events.TRANSFER.isEnabled();
  }

  /** For {@link #recordsTransfers}. */
  public static void transfer(
      long queue, long operation, long bytes, String direction, String path) {
    Events.Transfer event = named(new Events.Transfer());
    event.set(queue, operation);
    event.bytes = bytes;
    event.direction = direction;
    event.path = path;
    event.commit();
  }

  public static boolean recordsExecutions() {
    return isOn() && Events.EXECUTION.isEnabled();
  }

  /**
   * For {@link #recordsExecutions}: an operation ran on the device from {@code begin} to {@code
   * end}, both as {@link System#nanoTime}, and both wrong by at most {@code error} nanoseconds.
   */
  public static void execution(long queue, long operation, long begin, long end, long error) {
    Events.Execution event = named(new Events.Execution());
    event.set(queue, operation);
    event.commit(begin, end, error);
  }

  public static boolean recordsCommands() {
    return isOn() && Events.COMMAND_EXECUTION.isEnabled();
  }

  /** For {@link #recordsCommands}: a command of a recording ran, as in {@link #execution}. */
  public static void command(
      long queue,
      long operation,
      int command,
      String kind,
      long kernel,
      String label,
      long begin,
      long end,
      long error) {
    Events.CommandExecution event = named(new Events.CommandExecution());
    event.set(queue, operation);
    event.command = command;
    event.kind = kind;
    event.kernel = kernel;
    event.label = label.isEmpty() ? null : label;
    event.commit(begin, end, error);
  }

  // Host threads.

  /** Begins a wait of this thread; null if waits are not recorded. */
  public static @Nullable Span hostWait(long timeline, long value) {
    if (!isOn() || !Events.HOST_WAIT.isEnabled()) {
      return null;
    }
    Events.HostWait event = new Events.HostWait();
    event.timeline = Names.inProcess(timeline);
    event.value = value;
    event.begin();
    return event;
  }

  // Devices.

  /** Records an allocation of {@code bytes}, or a free if they are negative. */
  public static void memory(long device, long bytes, String type, long total) {
    if (!isOn()) {
      return;
    }
    if (bytes >= 0 && Events.ALLOCATION.isEnabled()) {
      Events.Allocation event = named(new Events.Allocation());
      event.set(device, bytes, type, total);
      event.commit(); // the recorder replaces this method in the class itself
    } else if (bytes < 0 && Events.DEALLOCATION.isEnabled()) {
      Events.Deallocation event = named(new Events.Deallocation());
      event.set(device, -bytes, type, total);
      event.commit();
    }
  }

  /** Begins the loading of a bundle, which ends with the format; null if it is not recorded. */
  public static @Nullable Span load(long device, String bundle) {
    if (!isOn() || !Events.EXECUTABLE_LOAD.isEnabled()) {
      return null;
    }
    Events.ExecutableLoad event = named(new Events.ExecutableLoad());
    event.device = device;
    event.bundle = bundle;
    event.begin();
    return event;
  }

  /**
   * Begins the search for compiled code and its compilation, which ends with {@code hit}, {@code
   * compiled} or {@code failed}; null if it is not recorded.
   */
  public static @Nullable Span compilation(String source) {
    if (!isOn() || !Events.COMPILATION.isEnabled()) {
      return null;
    }
    Events.Compilation event = new Events.Compilation();
    event.source = source;
    event.begin();
    return event;
  }

  /**
   * Begins the making of a native graph, which ends with null, or with the reason why the commands
   * are issued one by one; null if that is not recorded.
   */
  public static @Nullable Span graph(int commands) {
    if (!isOn() || !Events.GRAPH.isEnabled()) {
      return null;
    }
    Events.Graph event = new Events.Graph();
    event.commands = commands;
    event.begin();
    return event;
  }

  /** A recording was issued command by command on a device that uses graphs. */
  public static void fallback(String reason) {
    if (isOn() && Events.GRAPH.isEnabled()) {
      Events.Graph event = new Events.Graph();
      event.refusal = reason;
      event.commit();
    }
  }

  public static void lost(long device, String cause) {
    if (isOn() && Events.DEVICE_LOST.isEnabled()) {
      Events.DeviceLost event = named(new Events.DeviceLost());
      event.device = device;
      event.cause = cause;
      event.commit();
    }
  }
}
