// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of events. Of each there is one instance that is only asked whether its kind is
 * recorded, which allocates nothing.
 *
 * <p>The recorder adds {@code begin}, {@code end}, {@code commit} and {@code isEnabled} to each
 * class that is not abstract. A call reaches them only through a reference of that class: those of
 * {@link Event} are final and do nothing.
 */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class Events {
  static final Submission SUBMISSION = new Submission();
  static final Edge EDGE = new Edge();
  static final Operation OPERATION = new Operation();
  static final HostCompletion HOST_COMPLETION = new HostCompletion();
  static final Transfer TRANSFER = new Transfer();
  static final Execution EXECUTION = new Execution();
  static final CommandExecution COMMAND_EXECUTION = new CommandExecution();
  static final HostWait HOST_WAIT = new HostWait();
  static final Allocation ALLOCATION = new Allocation();
  static final Deallocation DEALLOCATION = new Deallocation();
  static final ExecutableLoad EXECUTABLE_LOAD = new ExecutableLoad();
  static final Compilation COMPILATION = new Compilation();
  static final Graph GRAPH = new Graph();
  static final DeviceLost DEVICE_LOST = new DeviceLost();
  static final Naming NAMING = new Naming();

  private Events() {}

  @Category("JHAL")
  @StackTrace(false)
  abstract static class JhalEvent extends Event {}

  abstract static class OperationPart extends JhalEvent {
    @Label("Queue")
    long queue;

    @Description("Its number in its queue, from 1")
    @Label("Operation")
    long operation;

    final void set(long itsQueue, long itsNumber) {
      queue = itsQueue;
      operation = itsNumber;
    }
  }

  @Name("org.jhal.Submission")
  @Label("Submission")
  @Description("An operation was enqueued; the thread is the one that did")
  @Enabled(false)
  static final class Submission extends OperationPart {
    @Label("Kind")
    @Nullable String kind;

    @Description("Of a dispatch; 0 otherwise")
    @Label("Kernel")
    long kernel;

    @Label("Commands")
    int commands;

    @Description("For values that timelines did not have from the start")
    @Label("Waits")
    int waits;

    @Label("Signals")
    int signals;
  }

  @Name("org.jhal.TimelineEdge")
  @Label("Timeline edge")
  @Description(
      "A timepoint that an operation waits for or signals, or that a host thread has signalled;"
          + " no wait for a value that the timeline had from the start")
  @Enabled(false)
  static final class Edge extends JhalEvent implements Span {
    @Label("Timeline")
    long timeline;

    @Label("Value")
    long value;

    @Description("Whether it is signalled; otherwise waited for")
    @Label("Signal")
    boolean isSignal;

    @Description("0 for a host thread")
    @Label("Queue")
    long queue;

    @Description("0 for a host thread")
    @Label("Operation")
    long operation;

    @Override
    public void end(@Nullable String status) {
      end();
      commit();
    }
  }

  @Name("org.jhal.Operation")
  @Label("Operation")
  @Description(
      "An operation as the host sees it: from when it was given to the device until its outcome is known")
  @Enabled(false)
  static final class Operation extends OperationPart implements Span {
    @Description("The status; empty for success")
    @Label("Failure")
    @Nullable String failure;

    @Override
    public void end(@Nullable String status) {
      failure = status;
      end();
      commit();
    }
  }

  @Name("org.jhal.HostCompletion")
  @Label("Host completion")
  @Description(
      "What the host does for an operation when the device is done: a host call, or the host's part of a transfer")
  @Enabled(false)
  static final class HostCompletion extends OperationPart implements Span {
    @Override
    public void end(@Nullable String status) {
      end();
      commit();
    }
  }

  @Name("org.jhal.Transfer")
  @Label("Transfer")
  @Description("How an upload or a readback moves its bytes")
  @Enabled(false)
  static final class Transfer extends OperationPart {
    @DataAmount
    @Label("Bytes")
    long bytes;

    @Label("Direction")
    @Nullable String direction;

    @Label("Path")
    @Nullable String path;
  }

  abstract static class OnDevice extends OperationPart {
    @Description("How long before this event it began")
    @Timespan(Timespan.NANOSECONDS)
    @Label("Began")
    long beganAgo;

    @Timespan(Timespan.NANOSECONDS)
    @Label("Took")
    long took;

    @Description("By how much both times may be wrong")
    @Timespan(Timespan.NANOSECONDS)
    @Label("Error")
    long error;

    /**
     * See {@link FlightRecorder#execution}, which cannot pass an event to a method: to be loaded
     * without the module {@code jdk.jfr}, its code must not need the superclass of an event.
     */
    final void commit(long from, long to, long errorOfBoth) {
      took = Math.max(0, to - from);
      // The event's own time is read between these two; a delay there adds to the error.
      long before = System.nanoTime();
      begin();
      long after = System.nanoTime();
      beganAgo = before - from;
      error = errorOfBoth + (after - before);
      end();
      commit();
    }
  }

  @Name("org.jhal.Execution")
  @Label("Execution")
  @Description("An operation on the device, by the device's clock")
  @Enabled(false)
  static final class Execution extends OnDevice {}

  @Name("org.jhal.CommandExecution")
  @Label("Command execution")
  @Description(
      "A command of a command buffer on the device, by the device's clock; while this is recorded,"
          + " commands are issued one by one")
  @Enabled(false)
  static final class CommandExecution extends OnDevice {
    @Description("Its number in its command buffer, from 0; barriers are not counted")
    @Label("Command")
    int command;

    @Label("Kind")
    @Nullable String kind;

    @Description("Of a dispatch; 0 otherwise")
    @Label("Kernel")
    long kernel;

    @Description("What the program calls it")
    @Label("Label")
    @Nullable String label;
  }

  @Name("org.jhal.HostWait")
  @Label("Host wait")
  @Description("A host thread waited for a timepoint")
  @Enabled(false)
  static final class HostWait extends JhalEvent implements Span {
    @Label("Timeline")
    long timeline;

    @Label("Value")
    long value;

    @Description("reached, late, interrupted, or the status of a failure")
    @Label("Outcome")
    @Nullable String outcome;

    @Override
    public void end(@Nullable String result) {
      outcome = result;
      end();
      commit();
    }
  }

  abstract static class Memory extends JhalEvent {
    @Label("Device")
    long device;

    @DataAmount
    @Label("Bytes")
    long bytes;

    @Label("Type")
    @Nullable String type;

    @Description("What the device has allocated then")
    @DataAmount
    @Label("Total")
    long total;

    final void set(long itsDevice, long size, String itsType, long allocated) {
      device = itsDevice;
      bytes = size;
      type = itsType;
      total = allocated;
    }
  }

  @Name("org.jhal.Allocation")
  @Label("Allocation")
  @Description("Memory of a device was allocated")
  static final class Allocation extends Memory {}

  @Name("org.jhal.Deallocation")
  @Label("Deallocation")
  @Description("Memory of a device was freed, or its dealloca was issued")
  static final class Deallocation extends Memory {}

  @Name("org.jhal.ExecutableLoad")
  @Label("Executable load")
  @Description("A bundle was loaded")
  static final class ExecutableLoad extends JhalEvent implements Span {
    @Label("Device")
    long device;

    @Label("Bundle")
    @Nullable String bundle;

    @Description("That of the variant that was loaded; empty if there is none")
    @Label("Format")
    @Nullable String format;

    @Override
    public void end(@Nullable String loaded) {
      format = loaded;
      end();
      commit();
    }
  }

  @Name("org.jhal.Compilation")
  @Label("Compilation")
  @Description(
      "A kernel's source was compiled, or its code was found in the folder of compiled kernels")
  static final class Compilation extends JhalEvent implements Span {
    @Label("Source")
    @Nullable String source;

    @Description("hit, compiled or failed")
    @Label("Outcome")
    @Nullable String outcome;

    @Override
    public void end(@Nullable String result) {
      outcome = result;
      end();
      commit();
    }
  }

  @Name("org.jhal.Graph")
  @Label("Graph")
  @Description("A native graph was made of a recording, or a recording was issued without one")
  @Enabled(false)
  static final class Graph extends JhalEvent implements Span {
    @Label("Commands")
    int commands;

    @Description("Why the commands are issued one by one instead; empty if the graph was made")
    @Label("Refusal")
    @Nullable String refusal;

    @Override
    public void end(@Nullable String reason) {
      refusal = reason;
      end();
      commit();
    }
  }

  @Name("org.jhal.DeviceLost")
  @Label("Device lost")
  @Description("A device was lost; everything on it fails")
  static final class DeviceLost extends JhalEvent {
    @Label("Device")
    long device;

    @Label("Cause")
    @Nullable String cause;
  }

  @Name("org.jhal.Name")
  @Label("Name")
  @Description("The name of what other events give as a number; once for each chunk of a recording")
  @Period("beginChunk")
  static final class Naming extends JhalEvent {
    @Description("device, queue or kernel")
    @Label("Kind")
    @Nullable String kind;

    @Label("Number")
    long number;

    @Label("Name")
    @Nullable String name;

    @Description("The device of a queue or a kernel; 0 otherwise")
    @Label("Owner")
    long owner;
  }
}
