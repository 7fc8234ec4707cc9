// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.work.QueueWork;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * A collective of a group: the work of one operation of a hidden queue of rank 0's device.
 * Subclasses implement its two forms.
 *
 * <p>It <em>begins</em> on the issue thread, when all waits are reached or {@linkplain #waitsOnHost
 * covered}, and holds the devices from then on. Its outcome is that of its operation. The first of
 * these decides it: the form that carries it out, the deadline, the loss or the close of a device,
 * the close of the group. {@link GroupLife} makes decisions on failures and beginnings one after
 * the other, so no failed collective begins, and all fail with one cause. When it fails, the
 * signals fail at once, and the operation stays open until the devices are past it.
 *
 * <p>Thread-safe.
 */
abstract class Collective<E> extends QueueWork<E> {
  static final String FAILED = "a collective failed: ";

  final GroupLife group;
  private final String label; // for messages
  private volatile @Nullable CollectiveRequest request; // null once the operation retires

  // Whether all waits were reached or covered, and the devices are held. Written by the issue
  // thread, with the lock of the group held.
  private volatile boolean hasBegun;

  // How many devices are held. Counted up by the issue thread, and set to 0 by letGo().
  private final AtomicInteger held = new AtomicInteger();

  // Written by the issue thread, and by the timer.
  private volatile @Nullable Future<?> timer;

  // Set by any thread before it cancels the timer. A thread that starts a timer reads it
  // afterwards.
  private volatile boolean hasLetGo;

  /**
   * Creates the work of a collective.
   *
   * @param device of rank 0
   */
  Collective(DeviceCore<E> device, GroupLife group, CollectiveRequest request) {
    super(device);
    this.group = group;
    this.label = request.kind().label() + " of " + group.devices.size() + " ranks";
    this.request = request;
  }

  /** What it moves and computes. Until the operation retires. */
  final CollectiveRequest request() {
    return Objects.requireNonNull(request);
  }

  // How it begins.

  /**
   * Whether the host has to see all waits reached before it begins; if not, some may be covered by
   * native events, for which its streams wait.
   */
  @Override
  public boolean waitsOnHost() {
    return true;
  }

  /** Holding devices and starting a timer must not fail for lack of stack on a user's thread. */
  @Override
  protected final boolean issueMayBlock(NativeStream<E> stream) {
    return true;
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    request().recordUses(recorded);
  }

  /** The group keeps others away by itself. */
  @Override
  protected final boolean mayGoAcross() {
    return false;
  }

  /**
   * Begins, and submits the batch with the collective's work. An exception fails the operation; the
   * group goes on if the collective has not begun.
   */
  @Override
  protected abstract @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch);

  /** Holds the devices, and starts the timer. Throws if it cannot begin, or has failed. */
  final void beginHolding() {
    boolean isDone = false;
    try {
      for (DeviceCore<?> device : group.devices) {
        device.leases().beginCopy();
        held.incrementAndGet();
      }
      group.begin(this);
      startTimer(nanosLeft());
      isDone = true;
    } finally {
      if (!isDone) {
        letGo();
      }
    }
  }

  /** For {@link GroupLife#begin}. */
  final void setBegun() {
    hasBegun = true;
  }

  final boolean hasBegun() {
    return hasBegun;
  }

  final long deadlineNanos() {
    return TimeUnit.NANOSECONDS.convert(group.options.deadline()); // Long.MAX_VALUE at most
  }

  /** When to call {@link #late}, in nanoseconds from now. */
  long nanosLeft() {
    return deadlineNanos();
  }

  /** Has {@link #late} called after {@code nanos}. */
  final void startTimer(long nanos) {
    Future<?> started = Deadlines.after(nanos, this::late);
    timer = started;
    if (hasLetGo) { // on another thread, which may not have seen this timer
      started.cancel(false);
    }
  }

  // How it ends.

  /** Whether it may be about to begin: it is being enqueued, or issued, which takes no time. */
  private boolean isBeginning() {
    return !hasBegun && !isFailing() && operation().isUnderWay();
  }

  /**
   * Waits until it has begun or cannot begin. An error that has interrupted its beginning has lost
   * the device.
   */
  final void awaitBeginning(long deadline) {
    DeviceCore<?> device = group.first();
    BackOff.await(this, deadline, () -> !isBeginning() || device.lostCause() != null);
  }

  /** Whether it waits for something, is being enqueued, or was not able to begin. */
  final boolean isParked() {
    return operation().isParked() || (!hasBegun && isFailing());
  }

  /** Whether a failure was decided, even if its signals have not failed yet. */
  private boolean isFailing() {
    return operation().workFailure() != null;
  }

  /** Whether its signals have been raised or have failed. */
  final boolean isApplied() {
    return operation().isApplied();
  }

  /**
   * The failure as one of this collective, unless a device is lost; see {@link Operation#asOwn}.
   * Not for failures of the group, or of operations that this waits for.
   */
  final HalException named(HalException cause) {
    return cause.status() == Status.UNAVAILABLE ? cause : operation().asOwn(cause);
  }

  /** Fails it, and ends the group, unless it has not begun or has succeeded. */
  final void failWith(HalException cause) {
    if (group.decideFailed(this, cause)) {
      group.end(cause);
    }
  }

  /**
   * Fails the signals, after the failure was decided: with {@code cause}, or, if it has not begun,
   * with the reason why it could not. May be called again.
   */
  final void applyFailure(HalException cause) {
    HalException own = hasBegun ? null : operation().workFailure();
    try {
      if (hasBegun) {
        stopped();
      }
    } finally {
      operation().queue.failOpen(operation(), own == null ? cause : own);
    }
  }

  /** Starts no further parts: it has failed. May be called again. */
  abstract void stop(HalException cause);

  /** It has failed, and was {@linkplain #stop stopped}. May be called again. */
  void stopped() {}

  /** The time is up. On the timer's thread, which serves all groups: callbacks run elsewhere. */
  void late() {
    failApart(
        named(
            new HalException(
                Status.DEADLINE_EXCEEDED,
                "%s in the %s did not end within the group's deadline of %s%s"
                    .formatted(
                        this, group, DurationText.of(group.options.deadline()), whatIsMissing()))));
  }

  /** The ranks that it waits for, as the end of a message; empty if unknown. */
  String whatIsMissing() {
    return "";
  }

  /** Fails it on a thread of its own, since users' callbacks run. */
  final void failApart(HalException cause) {
    Deadlines.apart(() -> failWith(cause));
  }

  /** Lets go of the devices that are held. The first call counts. */
  final void letGo() {
    hasLetGo = true;
    Future<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
    int count = held.getAndSet(0);
    for (int i = 0; i < count; i++) {
      group.devices.get(i).leases().endCopy();
    }
  }

  @Override
  public final boolean endsWithHostCompletion() {
    return false; // the host completion, if there is one, ends the operation itself
  }

  /** The operation is over, whether or not it began. */
  @Override
  protected void retired() {
    try {
      HalException failure = operation().failure();
      if (failure != null && hasBegun) {
        group.end(failure); // it may have failed without failWith(), as in a native call
      }
    } finally {
      letGo();
      group.remove(this);
      request = null;
    }
  }

  @Override
  public final String kind() {
    return "collective";
  }

  @Override
  public final String describe() {
    return label;
  }

  @Override
  public final String toString() {
    return label;
  }
}
