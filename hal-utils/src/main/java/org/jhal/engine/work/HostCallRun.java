// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ProgramCode;
import org.jspecify.annotations.Nullable;

/**
 * One host call. Runs the user's function and ends the operation once: when the function returns
 * or, after a defer, with the {@link HostCall.Completion}.
 *
 * <p>Thread-safe: the completion may be used by any thread.
 */
public final class HostCallRun<E> implements HostCompletion, HostCall.Context, HostCall.Completion {
  private enum State {
    /** The operation ends when the function returns. */
    RUNNING,
    /** The operation ends with the completion. */
    DEFERRED,
    ENDED
  }

  private static final System.Logger LOG = System.getLogger(HostCallRun.class.getName());

  private final DeviceQueue queue;
  private final Operation<E> operation;
  private final HostCall.Mode mode;
  private final Fence signals;
  private final HostCall call;
  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
  private @Nullable RecordedOperation recorded; // set by the enqueuing thread
  private volatile @Nullable Thread thread; // runs the function; null before and after that

  public HostCallRun(
      DeviceQueue queue, Operation<E> operation, HostCall.Mode mode, Fence signals, HostCall call) {
    this.queue = queue;
    this.operation = operation;
    this.mode = mode;
    this.signals = mode == HostCall.Mode.BLOCKING ? signals : Fence.NONE;
    this.call = call;
  }

  /**
   * It is recorded. A blocking one ends when the host says so, behind all that the host has seen.
   */
  void recordedAs(RecordedOperation operationRecord) {
    recorded = operationRecord;
    if (mode == HostCall.Mode.BLOCKING) {
      operationRecord.endsByHost();
    }
  }

  @Override
  public void run(HostCompletion.Context ignored) {
    thread = Thread.currentThread();
    HazardRecord record = HazardRecord.current();
    RecordedOperation own = recorded;
    if (record != null && own != null) {
      record.hostBegins(own);
    }
    Throwable thrown = ProgramCode.hostCall(() -> call.run(this));
    thread = null;
    HalException failure = thrown == null ? null : Failures.aborted("host call threw ", thrown);
    if (thrown != null && (mode == HostCall.Mode.NON_BLOCKING || state.get() != State.RUNNING)) {
      Failures.log(
          LOG,
          Level.ERROR,
          "a host call of " + queue + " threw, which its operation does not report",
          thrown);
    }
    end(State.RUNNING, failure);
  }

  private void end(State from, @Nullable HalException failure) {
    if (state.compareAndSet(from, State.ENDED)) {
      HazardRecord record = HazardRecord.current();
      RecordedOperation own = recorded;
      if (record != null && own != null && mode == HostCall.Mode.BLOCKING && failure == null) {
        record.hostEnds(own);
      }
      try {
        operation.queue.hostCompletionOver(operation, failure);
      } catch (Throwable t) { // nobody else ends the operation (rule E2)
        operation.queue.brokenBy = t;
        operation.isHalfEnded = true;
        throw t;
      }
    }
  }

  String describe() {
    Thread running = thread;
    return running != null
        ? "host call that runs on thread " + running.getName()
        : state.get() == State.DEFERRED ? "host call that is deferred" : "host call";
  }

  @Override
  public DeviceQueue queue() {
    return queue;
  }

  @Override
  public Fence signals() {
    return signals;
  }

  @Override
  public HostCall.Completion defer() {
    if (mode != HostCall.Mode.BLOCKING || !state.compareAndSet(State.RUNNING, State.DEFERRED)) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "defer() is possible once, while the call runs, in mode BLOCKING; mode is "
              + mode
              + ", the call is "
              + state);
    }
    return this;
  }

  @Override
  public void complete() {
    end(State.DEFERRED, null);
  }

  @Override
  public void fail(HalException failure) {
    end(State.DEFERRED, Objects.requireNonNull(failure, "failure"));
  }

  @Override
  public String toString() {
    return "host call of " + queue;
  }
}
