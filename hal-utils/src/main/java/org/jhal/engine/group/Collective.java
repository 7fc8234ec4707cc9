package org.jhal.engine.group;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.base.Deadlines;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.queue.Failures;
import org.jhal.engine.queue.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A collective of a group: one operation of a hidden queue of rank 0's device. Subclasses say how
 * it is carried out.
 *
 * <p>Life cycle: <em>parked</em> -> <em>begun</em>, by the issue thread when all waits are reached
 * or {@linkplain #waitsOnHost covered}, or <em>refused</em>, by who cancels it, or by the issue
 * thread if issuing fails. One that has begun is decided once, as <em>done</em> or as
 * <em>failed</em>, whoever comes first: who carries it out, the deadline, the loss or the close of
 * a device, the close of the group. If it fails, the signals fail at once, and the operation stays
 * open until the devices are past it. Each of these steps is one compare-and-set, which also sets
 * the reason: nobody sees that it was refused or has failed without seeing why.
 *
 * <p>Thread-safe.
 */
abstract class Collective {
  static final String FAILED = "a collective failed: ";

  /**
   * Where it stands, and why.
   *
   * @param hasBegun whether all waits were reached or covered, and the devices are held
   * @param isOver whether nothing can change it any more
   * @param failure why it was refused, if it has not begun, or why it has failed
   */
  private record Stage(boolean hasBegun, boolean isOver, @Nullable HalException failure) {
    /** Some waits are neither reached nor covered. */
    static final Stage PARKED = new Stage(false, false, null);

    static final Stage BEGUN = new Stage(true, false, null);
    static final Stage DONE = new Stage(true, true, null);
  }

  final GroupLife group;
  final Operation<?> operation;
  final CollectiveRequest request;

  // From PARKED to BEGUN or to the refusal, and from BEGUN to DONE or to the failure; also to the
  // refusal, by begin(), if the deadline cannot be set.
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.PARKED);

  // How many devices are held: counted up by the issue thread, taken once by who lets go of them.
  private final AtomicInteger held = new AtomicInteger();

  // Written by the issue thread before it has begun, and by the timer.
  private volatile @Nullable Future<?> timer;

  // Set by any thread before it cancels the timer, which whoever starts one looks at afterwards.
  private volatile boolean hasLetGo;

  // The signals are applied, or the operation is over. Written by any thread.
  private volatile boolean isTold;

  Collective(GroupLife group, Operation<?> operation, CollectiveRequest request) {
    this.group = group;
    this.operation = operation;
    this.request = request;
  }

  // How it begins.

  /**
   * Whether the host has to see all waits reached before it begins; if not, some may be covered by
   * native events, for which its streams wait.
   */
  boolean waitsOnHost() {
    return true;
  }

  /**
   * Begins, and puts what there is into the stream. For the issue thread. What this throws fails
   * the operation; the group goes on if it has not begun.
   */
  abstract void issue(NativeStream<?> stream);

  /** How much it counts against the capacity of its stream. */
  int weight() {
    return 1;
  }

  /**
   * Holds the devices, and lets the deadline run. Throws if it cannot begin; if it was {@linkplain
   * #refuse refused} before, its operation has failed with the reason.
   */
  final void begin() {
    try {
      for (DeviceCore<?> device : group.devices()) {
        device.leases().beginCopy();
        held.incrementAndGet();
      }
      if (!stage.compareAndSet(Stage.PARKED, Stage.BEGUN)) {
        throw refused();
      }
      startTimer(nanosLeft()); // late() does nothing unless it has begun
    } catch (Throwable t) {
      Stage refused = refusal(operation.asOwn(Failures.of(t)));
      boolean ignored =
          stage.compareAndSet(Stage.PARKED, refused) || stage.compareAndSet(Stage.BEGUN, refused);
      letGo();
      throw t;
    }
  }

  /**
   * The operation fails with the reason, also if who has refused it has not come to that. What
   * issuing throws is another matter: a loss would be taken for that of the device.
   */
  private HalException refused() {
    HalException reason = stage().failure();
    if (reason != null) {
      operation.failWork(reason);
    }
    return new HalException(Status.CANCELLED, "it was cancelled before it began");
  }

  private static Stage refusal(HalException reason) {
    return new Stage(false, true, reason);
  }

  /**
   * It never begins, unless it has begun or was refused before. Tells nobody: if issuing it has
   * failed, its operation tells the failure, but only behind what it waits for, since its signals
   * may be of the same timelines.
   */
  final void refuse(HalException reason) {
    boolean ignored = stage.compareAndSet(Stage.PARKED, refusal(reason));
  }

  final long deadlineNanos() {
    return TimeUnit.NANOSECONDS.convert(deadline()); // Long.MAX_VALUE at most
  }

  /** When {@link #late} has to look, in nanoseconds from now. */
  long nanosLeft() {
    return deadlineNanos();
  }

  private Duration deadline() {
    return group.options().deadline();
  }

  /** Has {@link #late} called after {@code nanos}. */
  final void startTimer(long nanos) {
    Future<?> started = Deadlines.after(nanos, this::late);
    timer = started;
    if (hasLetGo) { // on another thread, which may not have seen this timer
      boolean ignored = started.cancel(false);
    }
  }

  // How it ends.

  private Stage stage() {
    return Objects.requireNonNull(stage.get());
  }

  /** Whether it may be about to begin: it is being enqueued, or issued, which takes no time. */
  private boolean isBeginning() {
    return stage() == Stage.PARKED && !isTold && operation.isUnderWay();
  }

  /**
   * Waits until it is known whether it begins. An error that has ended that half-way has lost the
   * device.
   */
  final void awaitBeginning(long deadline) {
    DeviceCore<?> device = group.first();
    boolean ignored =
        BackOff.await(this, deadline, () -> !isBeginning() || device.lostCause() != null);
  }

  /** Whether it waits for something, or is being enqueued. */
  final boolean isParked() {
    return operation.isParked();
  }

  /** Whether it was cancelled, or could not begin. */
  final boolean isRefused() {
    Stage now = stage();
    return !now.hasBegun() && now.isOver();
  }

  /** Whether it has begun, as its waits were reached or covered. */
  final boolean hasBegun() {
    return stage().hasBegun();
  }

  /** Whether nobody has to wait for its signals any more. */
  final boolean isTold() {
    return isTold || operation.isApplied();
  }

  final void setTold() {
    isTold = true;
  }

  /**
   * Fails it with {@code reason}, or with why it was refused before, if it has not begun; what has
   * begun goes on.
   */
  final void cancel(HalException reason) {
    refuse(reason);
    Stage now = stage();
    HalException first = now.hasBegun() ? null : now.failure();
    if (first != null) {
      operation.queue.failOpen(asOwn(), first);
    }
  }

  /**
   * It has failed, if it has begun and is not decided. For {@link GroupLife#decideFailed}, so that
   * the group and its collectives have one first cause.
   */
  final boolean becomeFailed(HalException cause) {
    return stage.compareAndSet(Stage.BEGUN, new Stage(true, true, cause));
  }

  /**
   * The failure as one of this collective, unless a device is lost; see {@link Operation#asOwn}.
   * Not for failures of the group, or of what this waits for.
   */
  final HalException named(HalException cause) {
    return cause.status() == Status.UNAVAILABLE ? cause : operation.asOwn(cause);
  }

  /**
   * Fails it, and ends the group, if it has begun and is not decided. Also if it has failed and
   * nobody was told: an error may have ended the call that has decided.
   */
  final void fail(HalException cause) {
    boolean ignored = group.decideFailed(this, cause);
    HalException failure = decidedFailure();
    if (failure != null && !isTold) {
      try {
        group.end(failure);
      } finally {
        tellFailed();
      }
    }
  }

  /** Makes sure that it does not succeed, if it has failed. May be called again. */
  final void stopFailed() {
    HalException failure = decidedFailure();
    if (failure != null && !isTold) {
      stop(failure);
    }
  }

  /**
   * Fails the signals, if it has failed. Called again, it does nothing, unless an error has ended
   * the call before half-way.
   */
  final void tellFailed() {
    HalException failure = decidedFailure();
    if (failure == null || isTold) {
      return;
    }
    stop(failure);
    try {
      stopped();
    } finally {
      tellFailure(failure);
    }
  }

  /** Makes sure that it does not succeed any more. May be called again. */
  abstract void stop(HalException cause);

  /** It has failed, and was {@linkplain #stop stopped}. May be called again. */
  void stopped() {}

  /** Whether the operation has succeeded, and its signals are raised. */
  final boolean hasSucceeded() {
    return operation.hasSucceeded();
  }

  /** Lets go of the operations that it has waited for. */
  void dropProducers() {}

  /** Has the operation fail if it has no outcome yet, without telling anybody. */
  final void failWork(HalException cause) {
    operation.failWork(cause);
  }

  private void tellFailure(HalException cause) {
    try {
      operation.queue.failOpen(asOwn(), cause);
    } finally {
      isTold = true;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an operation belongs to its own queue
  final Operation asOwn() {
    return operation;
  }

  /** It is done, unless it has failed before. */
  final void decideDone() {
    boolean ignored = stage.compareAndSet(Stage.BEGUN, Stage.DONE);
  }

  /** The failure that was decided on, or null. */
  final @Nullable HalException decidedFailure() {
    Stage now = stage();
    return now.hasBegun() ? now.failure() : null;
  }

  /** On the timer's thread, which serves all groups: users' callbacks run elsewhere. */
  void late() {
    failApart(
        named(
            new HalException(
                Status.DEADLINE_EXCEEDED,
                this
                    + " in the "
                    + group
                    + " did not end within the group's deadline of "
                    + deadline()
                    + whatIsMissing())));
  }

  /** The ranks that it waits for, as the end of a message; empty if nobody knows. */
  String whatIsMissing() {
    return "";
  }

  /** Fails it by a thread of its own, since users' callbacks run. */
  final void failApart(HalException cause) {
    Deadlines.apart(() -> fail(cause));
  }

  /** Lets go of the devices that are held. The first call counts. */
  final void letGo() {
    hasLetGo = true;
    Future<?> running = timer;
    if (running != null) {
      boolean ignored = running.cancel(false);
    }
    int count = held.getAndSet(0);
    for (int i = 0; i < count; i++) {
      group.devices().get(i).leases().endCopy();
    }
  }

  /** Lets the devices free what it has used: their streams are past it. May be called again. */
  void endUses() {}

  /** The operation is over, whether or not it began. */
  public void retire() {
    try {
      // The operation may have failed without fail(): no thread, a failed native call.
      HalException failure = operation.failure();
      if (failure == null) {
        decideDone();
      } else {
        boolean ignored = group.decideFailed(this, failure);
      }
      HalException decided = decidedFailure();
      if (decided != null) {
        group.end(decided); // again, unless who has decided did not come to that
      }
    } finally {
      isTold = true;
      letGo();
      endUses();
      group.remove(this);
      dropProducers();
    }
  }

  @Override
  public String toString() {
    return request.kind().label() + " of " + group.devices().size() + " ranks";
  }
}
