package org.jhal.engine.flightrecorder;

import org.jspecify.annotations.Nullable;

/**
 * Records what happens, for the flight recorder of the JDK. docs/tracing.md lists the events.
 *
 * <p>A caller first asks whether an event is recorded, and only then collects what it tells. So
 * what is not recorded costs the reading of a field or two, and allocates nothing. Where the module
 * {@code jdk.jfr} is missing, nothing is recorded.
 *
 * <p>Operations are given as numbers, so a recording keeps none of them. Thread-safe; calls no code
 * of users and takes no lock of the engine.
 */
public final class FlightRecorder {
  // The classes of events cannot be loaded without jdk.jfr. Nothing else in this package refers to
  // them but what is guarded by this constant.
  private static final boolean IS_THERE = isThere();

  private FlightRecorder() {}

  private static boolean isThere() {
    try {
      // Initialises all of them, while no operation depends on it: a class whose initialisation
      // fails, such as on a stack that is nearly full, can never be used again.
      boolean unused =
          SubmissionEvent.isOn()
              | EdgeEvent.isOn()
              | OperationEvent.isOn()
              | HostCompletionEvent.isOn()
              | TransferEvent.isOn()
              | ExecutionEvent.isOn()
              | HostWaitEvent.isOn()
              | AllocationEvent.isOn()
              | DeallocationEvent.isOn()
              | ExecutableLoadEvent.isOn()
              | CompilationEvent.isOn()
              | GraphEvent.isOn()
              | DeviceLostEvent.isOn()
              | NameEvent.isOn();
      return true;
    } catch (LinkageError | VirtualMachineError e) {
      return false; // a Java without the module, a program that did not ask for it, or no memory
    }
  }

  /** Whether events can be recorded at all. */
  static boolean areSupported() {
    return IS_THERE;
  }

  /** Records what the numbers of an event stand for, unless this chunk of the recording has it. */
  private static void nameAll() {
    Chunks.hook();
  }

  static void name(Names.Named named) {
    if (IS_THERE && NameEvent.isOn()) {
      nameAll();
      Chunks.name(named);
    }
  }

  /** Nothing has a name any more. */
  static void unname() {
    if (IS_THERE) {
      Chunks.unhookIfUnused();
    }
  }

  // Operations.

  public static boolean recordsSubmissions() {
    return IS_THERE && SubmissionEvent.isOn();
  }

  /** For {@link #recordsSubmissions}. */
  public static void submission(
      long queue, long operation, String kind, long kernel, int commands, int waits, int signals) {
    SubmissionEvent event = new SubmissionEvent();
    nameAll();
    event.queue = queue;
    event.operation = operation;
    event.kind = kind;
    event.kernel = kernel;
    event.commands = commands;
    event.waits = waits;
    event.signals = signals;
    event.commit();
  }

  public static boolean recordsEdges() {
    return IS_THERE && EdgeEvent.isOn();
  }

  /** A signal of this thread that begins now, or null if that is not recorded. */
  public static @Nullable Span hostSignal(long timeline, long value) {
    if (!recordsEdges()) {
      return null;
    }
    EdgeEvent event = new EdgeEvent();
    nameAll();
    event.timeline = Names.inProcess(timeline);
    event.value = value;
    event.isSignal = true;
    event.begin();
    return event;
  }

  /** A timepoint of an operation, for {@link #recordsEdges}. */
  public static void edge(long timeline, long value, boolean isSignal, long queue, long operation) {
    EdgeEvent event = new EdgeEvent();
    nameAll();
    event.timeline = Names.inProcess(timeline);
    event.value = value;
    event.isSignal = isSignal;
    event.queue = queue;
    event.operation = operation;
    event.commit();
  }

  public static boolean recordsOperations() {
    return IS_THERE && OperationEvent.isOn();
  }

  /**
   * For {@link #recordsOperations}: an operation is being issued, or has failed without that. Its
   * span ends with null for success, or with the status of its failure.
   */
  public static Span operation(long queue, long operation) {
    OperationEvent event = new OperationEvent();
    nameAll();
    event.queue = queue;
    event.operation = operation;
    event.begin();
    return event;
  }

  public static boolean recordsHostCompletions() {
    return IS_THERE && HostCompletionEvent.isOn();
  }

  /** For {@link #recordsHostCompletions}. */
  public static Span hostCompletion(long queue, long operation) {
    HostCompletionEvent event = new HostCompletionEvent();
    nameAll();
    event.queue = queue;
    event.operation = operation;
    event.begin();
    return event;
  }

  public static boolean recordsTransfers() {
    return IS_THERE && TransferEvent.isOn();
  }

  /** For {@link #recordsTransfers}. */
  public static void transfer(
      long queue, long operation, long bytes, String direction, String path) {
    TransferEvent event = new TransferEvent();
    nameAll();
    event.queue = queue;
    event.operation = operation;
    event.bytes = bytes;
    event.direction = direction;
    event.path = path;
    event.commit();
  }

  public static boolean recordsExecutions() {
    return IS_THERE && ExecutionEvent.isOn();
  }

  /**
   * For {@link #recordsExecutions}: an operation ran on the device from {@code begin} to {@code
   * end}, both as {@link System#nanoTime}, and both wrong by at most {@code error} nanoseconds.
   */
  public static void execution(long queue, long operation, long begin, long end, long error) {
    ExecutionEvent event = new ExecutionEvent();
    nameAll();
    event.queue = queue;
    event.operation = operation;
    event.took = Math.max(0, end - begin);
    // The event's own time is read between these two. If the thread is held up there, that counts
    // as a part of the error.
    long before = System.nanoTime();
    event.begin();
    long after = System.nanoTime();
    event.beganAgo = before - begin;
    event.error = error + (after - before);
    event.end();
    event.commit();
  }

  // Host threads.

  /** A wait of this thread that begins now, or null if that is not recorded. */
  public static @Nullable Span hostWait(long timeline, long value) {
    if (!IS_THERE || !HostWaitEvent.isOn()) {
      return null;
    }
    HostWaitEvent event = new HostWaitEvent();
    event.timeline = Names.inProcess(timeline);
    event.value = value;
    event.begin();
    return event;
  }

  // Devices.

  /** Records {@code bytes} that were allocated, or freed if they are negative. */
  public static void memory(long device, long bytes, String type, long total) {
    if (!IS_THERE) {
      return;
    }
    if (bytes >= 0 && AllocationEvent.isOn()) {
      AllocationEvent event = new AllocationEvent();
      nameAll();
      event.set(device, bytes, type, total);
      event.commit(); // the recorder replaces this method in the class itself
    } else if (bytes < 0 && DeallocationEvent.isOn()) {
      DeallocationEvent event = new DeallocationEvent();
      nameAll();
      event.set(device, -bytes, type, total);
      event.commit();
    }
  }

  /** The loading of a bundle, which ends with the format; null if that is not recorded. */
  public static @Nullable Span load(long device, String bundle) {
    if (!IS_THERE || !ExecutableLoadEvent.isOn()) {
      return null;
    }
    ExecutableLoadEvent event = new ExecutableLoadEvent();
    nameAll();
    event.device = device;
    event.bundle = bundle;
    event.begin();
    return event;
  }

  /**
   * The search for compiled code, or its compilation, which ends with {@code hit}, {@code compiled}
   * or {@code failed}; null if that is not recorded.
   */
  public static @Nullable Span compilation(String source) {
    if (!IS_THERE || !CompilationEvent.isOn()) {
      return null;
    }
    CompilationEvent event = new CompilationEvent();
    event.source = source;
    event.begin();
    return event;
  }

  /**
   * The making of a native graph, which ends with null, or with why the commands are issued one by
   * one; null if that is not recorded.
   */
  public static @Nullable Span graph(int commands) {
    if (!IS_THERE || !GraphEvent.isOn()) {
      return null;
    }
    GraphEvent event = new GraphEvent();
    event.commands = commands;
    event.begin();
    return event;
  }

  /** A recording was issued command by command although graphs are used. */
  public static void fallback(String reason) {
    if (IS_THERE && GraphEvent.isOn()) {
      GraphEvent event = new GraphEvent();
      event.refusal = reason;
      event.commit();
    }
  }

  /** A device was lost. */
  public static void lost(long device, String cause) {
    if (IS_THERE && DeviceLostEvent.isOn()) {
      DeviceLostEvent event = new DeviceLostEvent();
      nameAll();
      event.device = device;
      event.cause = cause;
      event.commit();
    }
  }
}
