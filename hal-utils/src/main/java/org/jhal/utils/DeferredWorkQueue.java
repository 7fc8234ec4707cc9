package org.jhal.utils;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.utils.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Holds operations until their waits can be met on the device, hands them to the native stream, and
 * settles and retires them when they are complete.
 *
 * <p>Contract: rules Q1 to Q10, K1 to K4.
 *
 * <p>Thread-safe: any thread may enqueue, poll or close.
 */
final class DeferredWorkQueue<E> {
  /*
   * Threads     Users enqueue, and issue what is ready if nobody else does so (no thread hop). NAME-issue issues what is
   *             left to it. NAME-completion waits for events, settles, and retires: data flows one way.
   * Waiting     Each wait of an operation is reached, covered by a native event of this device, or registered; the last
   *             of them makes it READY. Nothing is ever scanned for what has become ready.
   * Issuing     READY operations leave the heap in enqueue order, through one drainer at a time. The role is taken by
   *             trying: who does not get it leaves its operation in the heap, and the drainer looks again after letting
   *             go. At most maxInFlight operations are in the stream, so that it never blocks who issues.
   * Completing  The stream is a FIFO: the completion thread waits for the oldest event. What has a host tail moves on to
   *             the tail pool; its end settles it.
   * Failure     A failed wait fails its operation alone. A native failure of the work fails its operation alone, a failure
   *             of the events loses the device, which fails everything.
   * Shutdown    See shut(), cancelAll(), awaitIdle(), abandonAll(), stop(): called in this order by the device.
   */
  private static final System.Logger LOG = System.getLogger(DeferredWorkQueue.class.getName());

  /**
   * How many operations a user's thread issues at most, its own and those of others, before the
   * issue thread does.
   */
  private static final int COURTESY = 32;

  /** How many operations are kept for later use; more are left to the garbage collector. */
  private static final int MAX_FREE = 4096;

  private final String name;
  private final Object domain;
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final Function<Operation<E>, Work<E>> works;
  private final Executor tails;
  private final Consumer<HalException> onLost;
  private final int maxInFlight;
  private final long spinNanos;

  private final Gate gate = new Gate(); // threads that enqueue, issue or poll
  private final AtomicBoolean isDraining = new AtomicBoolean(); // the drainer's role
  private final Role issueRole;
  private final Role completionRole;
  private volatile @Nullable HalException lost;

  private final Object lock =
      new Object(); // guards what follows; nothing is called while it is held
  private final PairingHeap<Operation<E>> ready =
      new PairingHeap<>(); // READY, or FAILED since; by enqueue number
  private @Nullable Operation<E> firstOpen; // all that have not retired
  private @Nullable Operation<E>
      firstInFlight; // event recorded, not seen to have fired; in stream order
  private @Nullable Operation<E> lastInFlight;
  private int inFlight; // length of that list
  private boolean isThrottled; // the drainer left READY operations because of maxInFlight
  private @Nullable Operation<E> firstToRetire;
  private @Nullable Operation<E> lastToRetire;
  private @Nullable Operation<E> firstFree;
  private int free;
  private long lastNumber; // raised in begin()
  private long abandoned; // raised in abandon()
  private long retired; // raised in retire(), nowhere else
  private boolean isStopped; // the completion thread retires nothing any more

  /**
   * A queue over {@code stream}; {@link #start()} starts its threads.
   *
   * @param domain identifies the device, to semaphores and threads
   * @param tails runs host tails
   * @param onLost told, with no lock held, when a native failure means that the device is lost
   */
  DeferredWorkQueue(
      String name,
      Object domain,
      NativeStream<E> stream,
      int maxInFlight,
      long spinNanos,
      Function<Operation<E>, Work<E>> works,
      Executor tails,
      Consumer<HalException> onLost) {
    this.name = name;
    this.domain = domain;
    this.stream = stream;
    this.maxInFlight = maxInFlight;
    this.spinNanos = spinNanos;
    this.works = works;
    this.tails = tails;
    this.onLost = onLost;
    this.events = new EventPool<>(stream, maxInFlight);
    this.issueRole = new Role(name + "-issue", domain, () -> {}, this::issueStep);
    this.completionRole =
        new Role(name + "-completion", domain, stream::bindToThread, this::completionStep);
  }

  void start() {
    OpenQueues.add(this);
    issueRole.start();
    completionRole.start();
  }

  String name() {
    return name;
  }

  long spinNanos() {
    return spinNanos;
  }

  // Enqueueing: begin, fill in, submit or abandon; all on the user's thread.

  /**
   * An operation to be filled in. The caller must then {@link #submit} or {@link #abandon} it.
   *
   * @throws HalException FAILED_PRECONDITION if the queue is closed; UNAVAILABLE if the device is
   *     lost
   */
  Operation<E> begin() {
    if (!gate.tryEnter()) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "the device of queue " + name + " is closed");
    }
    HalException cause = lost;
    if (cause != null) {
      gate.leave();
      throw cause.again();
    }
    Operation<E> operation;
    synchronized (lock) {
      operation = firstFree;
      if (operation != null) {
        firstFree = operation.nextFree;
        operation.nextFree = null;
        free--;
      } else {
        operation = new Operation<>(this, works);
      }
      operation.begin(++lastNumber);
      operation.openAfter = firstOpen;
      if (firstOpen != null) {
        firstOpen.openBefore = operation;
      }
      firstOpen = operation;
    }
    return operation;
  }

  /** Takes back an operation that was begun: nothing happened. */
  void abandon(Operation<E> operation) {
    operation.work.retire();
    synchronized (lock) {
      abandoned++;
      unlinkLocked(operation);
    }
    operation.release();
    gate.leave();
  }

  /** Accepts an operation: registers its waits, and issues it if it has nothing to wait for. */
  void submit(Operation<E> operation, Fence waits, Fence signals) {
    boolean isReady = false;
    try {
      operation.capture(waits, signals);
      operation
          .retain(); // it may be failed and retired by others before this method is through with it
      for (int i = 0; i < operation.waitCount(); i++) {
        OperationWait<E> wait = operation.wait(i);
        operation.addOpenWait();
        operation.retain();
        if (!wait.semaphore().register(wait, wait.value(), domain)) {
          operation.release();
          if (wait.failure != null) {
            operation.failWork(wait.failure);
          } else {
            operation.countDown();
          }
        }
      }
      operation.changeState(State.REGISTERING, State.PARKED);
      // A wait may have failed, or the device been lost, while this was REGISTERING: whoever did
      // that found it so and left
      // it to us. Whoever does it from here on finds it PARKED.
      HalException failure = operation.workFailure() != null ? operation.workFailure() : lost;
      if (failure != null) {
        failUnissued(operation, failure);
      } else if (operation.countDown()) {
        isReady = makeReady(operation);
      }
      operation.release();
      if (isReady) {
        drain(COURTESY);
      }
    } finally {
      gate.leave();
    }
    Cascade.current().run();
  }

  /** A registered wait is over; called by the thread that signalled, published or failed. */
  void waitOver(Operation<E> operation, @Nullable HalException failure) {
    if (failure != null) {
      operation.failWork(failure);
      failUnissued(operation, failure);
    } else if (operation.countDown() && makeReady(operation)) {
      Cascade.current().addReady(this);
    }
  }

  private boolean makeReady(Operation<E> operation) {
    if (!operation.changeState(State.PARKED, State.READY)) {
      return false;
    }
    operation.retain(); // the heap's reference
    synchronized (lock) {
      ready.insert(operation);
    }
    return true;
  }

  /** Fails an operation that was not issued: the first to do so wins. */
  private void failUnissued(Operation<E> operation, HalException failure) {
    if (!operation.changeState(State.PARKED, State.FAILED)
        && !operation.changeState(State.READY, State.FAILED)) {
      return; // REGISTERING: submit() looks after it. Else somebody was faster, or it was issued.
    }
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<E> wait = operation.wait(i);
      if (wait.semaphore().deregister(wait)) {
        operation.release();
      }
    }
    Settling.fail(operation, failure);
    retireLater(operation);
  }

  // Issuing.

  /** Called by a thread that signalled, after it made operations ready. */
  void drainAfterSignal() {
    if (Thread.currentThread() instanceof EngineThread) {
      issueRole.wake(); // completion threads complete
    } else if (gate.tryEnter()) {
      try {
        drain(COURTESY);
      } finally {
        gate.leave();
      }
    }
  }

  /** One step of the issue thread: issues all that is ready. */
  boolean issueStep() {
    if (gate.tryEnter()) {
      try {
        drain(Integer.MAX_VALUE);
      } finally {
        gate.leave();
      }
    }
    return false; // drain() looks again itself
  }

  /**
   * Issues up to {@code budget} READY operations, unless somebody else is at it; leaves the rest to
   * the issue thread.
   */
  private void drain(int budget) {
    int left = budget;
    while (left > 0 && isDraining.compareAndSet(false, true)) {
      try {
        left -= issueReady(left);
      } finally {
        isDraining.set(false);
      }
      // Between our last look and the release, somebody may have added an operation and not got the
      // role.
      if (!hasIssuable()) {
        return;
      }
    }
    if (left <= 0) {
      issueRole.wake();
    }
  }

  private int issueReady(int limit) {
    Operation<E> operation = nextReady();
    if (operation == null) {
      return 0;
    }
    int count = 0;
    long token = stream.bindToThread();
    try {
      while (operation != null) {
        issue(operation);
        operation.release(); // the heap's reference
        count++;
        operation = count < limit ? nextReady() : null;
      }
    } finally {
      stream.unbindFromThread(token);
    }
    return count;
  }

  private @Nullable Operation<E> nextReady() {
    synchronized (lock) {
      return hasIssuableLocked() ? ready.removeMin() : null;
    }
  }

  private boolean hasIssuable() {
    synchronized (lock) {
      return hasIssuableLocked();
    }
  }

  private boolean hasIssuableLocked() {
    if (ready.isEmpty() || gate.isShut()) {
      return false;
    }
    if (inFlight >= maxInFlight) {
      isThrottled =
          true; // whoever looks and finds the stream full makes the completion thread call for the
      // issue thread
      return false;
    }
    return true;
  }

  /** Issues one operation. By the drainer, which holds a reference; the device is bound. */
  private void issue(Operation<E> operation) {
    if (!operation.changeState(State.READY, State.ISSUED)) {
      return; // failed while it was in the heap
    }
    HalException cause = lost;
    PooledEvent<E> event = null;
    boolean mayHaveReachedStream = false;
    try {
      if (cause != null) {
        throw cause;
      }
      event = events.acquire();
      mayHaveReachedStream = waitForProducers(operation);
      if (operation.workFailure() == null) {
        mayHaveReachedStream = true;
        operation.work.issue(stream, operation);
      }
    } catch (Throwable t) { // also a driver's own bug: it must not stop the drainer
      operation.failWork(failureOf(t));
    }
    HalException failure = operation.workFailure();
    if (failure != null && failure.status() == Status.UNAVAILABLE) {
      onLost.accept(failure);
    }
    if (event == null || !mayHaveReachedStream) {
      if (event != null) {
        event.release();
      }
      Settling.fail(
          operation, failure != null ? failure : new HalException(Status.INTERNAL, "not issued"));
      retireLater(operation);
      return;
    }
    try {
      stream.recordEvent(event.handle);
    } catch (Throwable t) {
      // No event will tell when the work is over; the device is lost, so nothing waits for it.
      HalException loss = loss("recordEvent", t);
      onLost.accept(loss);
      Settling.fail(operation, loss);
      event.release();
      retireLater(operation);
      return;
    }
    operation.setEvent(event);
    boolean publishes =
        failure == null && (operation.work.tail() == null || !operation.work.signalsAfterTail());
    appendInFlight(operation);
    if (publishes) {
      // The completion thread may settle and even retire the operation meanwhile: then its signals
      // are reached and
      // publish() skips them; our reference keeps the object as it is.
      for (int i = 0; i < operation.signalCount(); i++) {
        operation.signal(i).publish(operation, operation.signalValue(i), domain);
      }
    }
    completionRole.wake();
  }

  /**
   * Makes the stream wait for the events that cover the operation's waits. Keeps the failure of a
   * producer that is known to have failed, and then the work is not issued.
   *
   * @return whether the stream was told to wait for anything
   */
  private boolean waitForProducers(Operation<E> operation) {
    boolean hasWaited = false;
    for (int i = 0; i < operation.waitCount(); i++) {
      Operation<?> producer = operation.wait(i).producer;
      if (producer == null) {
        continue;
      }
      if (producer.hasVerdict()) {
        HalException failure = producer.failure();
        if (failure != null) {
          operation.failWork(failure);
          return hasWaited;
        }
        continue;
      }
      if (producer.queue == this && stream.isInOrder()) {
        continue;
      }
      @SuppressWarnings("unchecked") // the semaphore only hands out operations of our own device
      PooledEvent<E> event = ((Operation<E>) producer).retainEvent();
      if (event == null) {
        i--; // retired meanwhile, so it has a verdict now
        continue;
      }
      try {
        hasWaited = true;
        stream.waitEvent(event.handle);
      } catch (Throwable t) {
        throw loss("waitEvent", t);
      } finally {
        event.release();
      }
    }
    return hasWaited;
  }

  private void appendInFlight(Operation<E> operation) {
    synchronized (lock) {
      if (lastInFlight == null) {
        firstInFlight = operation;
      } else {
        lastInFlight.nextInFlight = operation;
      }
      lastInFlight = operation;
      inFlight++;
    }
  }

  // Completing.

  /**
   * One step of the completion thread: retires what others settled, then waits for the oldest event
   * in flight.
   */
  boolean completionStep() {
    Operation<E> toRetire;
    Operation<E> oldest;
    synchronized (lock) {
      toRetire = firstToRetire;
      firstToRetire = null;
      lastToRetire = null;
      oldest = firstInFlight;
    }
    boolean hasWork = toRetire != null || oldest != null;
    while (toRetire != null) {
      Operation<E> operation = toRetire;
      toRetire = operation.nextToRetire;
      operation.nextToRetire = null;
      retire(operation);
    }
    if (oldest != null) {
      awaitEvent(oldest);
      complete(oldest);
    }
    return hasWork;
  }

  private void awaitEvent(Operation<E> operation) {
    PooledEvent<E> event = operation.event();
    if (lost != null || event == null) {
      return;
    }
    try {
      stream.synchronizeEvent(event.handle);
    } catch (Throwable t) {
      onLost.accept(loss("synchronizeEvent", t));
    }
  }

  /** The native work of the oldest operation in flight is over. */
  private void complete(Operation<E> operation) {
    boolean resume;
    synchronized (lock) {
      firstInFlight = operation.nextInFlight;
      operation.nextInFlight = null;
      if (firstInFlight == null) {
        lastInFlight = null;
      }
      inFlight--;
      resume = isThrottled && inFlight <= maxInFlight / 2;
      if (resume) {
        isThrottled = false;
      }
    }
    if (resume) {
      issueRole.wake();
    }
    HalException cause = lost;
    if (cause != null) {
      Settling.fail(operation, cause);
    }
    HostTail tail = operation.work.tail();
    if (tail != null && operation.work.signalsAfterTail()) {
      Settling.settleProducers(operation);
      if (operation.foreseeFailure() == null) {
        startTail(operation, tail);
        return;
      }
      tail = null; // what it depends on failed: it does not run
    }
    Settling.settle(operation);
    if (tail != null && operation.failure() == null) {
      startTail(operation, tail);
    } else {
      retire(operation);
    }
  }

  private void startTail(Operation<E> operation, HostTail tail) {
    boolean signalsAfterTail = operation.work.signalsAfterTail();
    boolean endsWithTail = operation.work.endsWithTail();
    try {
      tails.execute(
          () -> {
            HalException failure = null;
            try {
              tail.run();
            } catch (Throwable t) {
              failure = aborted(t);
              if (!signalsAfterTail) {
                LOG.log(
                    Level.ERROR,
                    "a host call of queue " + name + " that nobody waits for threw",
                    t);
              }
            }
            if (endsWithTail) {
              tailOver(operation, failure);
            }
          });
    } catch (RuntimeException e) { // the pool is closed, which happens past the close deadline only
      tailOver(operation, failureOf(e));
    }
  }

  /** The host tail of an operation is over; called once per use of the operation, by any thread. */
  void tailOver(Operation<E> operation, @Nullable HalException failure) {
    if (failure != null) {
      operation.failWork(failure);
    }
    Settling.settle(operation);
    retireLater(operation);
  }

  /**
   * For a host thread: whether the event of an operation, of which it holds a reference, has fired.
   */
  boolean hasFired(Operation<E> operation) {
    if (!gate.tryEnter()) {
      return false; // closing; the completion thread will see to it
    }
    try {
      PooledEvent<E> event = operation.retainEvent();
      if (event == null) {
        return operation.hasVerdict();
      }
      long token = stream.bindToThread();
      try {
        return stream.queryEvent(event.handle);
      } catch (Throwable t) {
        onLost.accept(loss("queryEvent", t));
        return true;
      } finally {
        event.release();
        stream.unbindFromThread(token);
      }
    } finally {
      gate.leave();
    }
  }

  private void retireLater(Operation<E> operation) {
    synchronized (lock) {
      if (isStopped) {
        return; // past the close deadline: leaked on purpose
      }
      if (lastToRetire == null) {
        firstToRetire = operation;
      } else {
        lastToRetire.nextToRetire = operation;
      }
      lastToRetire = operation;
    }
    completionRole.wake();
  }

  /** Releases what an operation that has its verdict holds. By the completion thread. */
  private void retire(Operation<E> operation) {
    if (!operation.changeState(State.SETTLED, State.RETIRED)
        && !operation.changeState(State.FAILED, State.RETIRED)) {
      LOG.log(
          Level.ERROR,
          "operation " + operation.key + " of " + name + " retires in state " + operation.state());
      return;
    }
    try {
      operation.work.retire();
    } catch (Throwable t) {
      LOG.log(
          Level.ERROR,
          "cannot release what operation " + operation.key + " of " + name + " used",
          t);
    }
    PooledEvent<E> event = operation.event();
    if (event != null) {
      operation.setEvent(null);
      event.release();
    }
    synchronized (lock) {
      retired++;
      unlinkLocked(operation);
    }
    operation.release();
  }

  private void unlinkLocked(Operation<E> operation) {
    Operation<E> before = operation.openBefore;
    Operation<E> after = operation.openAfter;
    if (before == null) {
      firstOpen = after;
    } else {
      before.openAfter = after;
    }
    if (after != null) {
      after.openBefore = before;
    }
    operation.openBefore = null;
    operation.openAfter = null;
    if (firstOpen == null) {
      lock.notifyAll(); // awaitIdle
    }
  }

  /** Takes an operation that nobody refers to any more. */
  void giveBack(Operation<E> operation) {
    synchronized (lock) {
      if (free < MAX_FREE) {
        operation.nextFree = firstFree;
        firstFree = operation;
        free++;
      }
    }
  }

  // Failure and shutdown.

  /** The device is lost: everything here fails with {@code cause}, also what is in flight. */
  void lose(HalException cause) {
    lost = cause;
    failAll(cause, true);
    completionRole.wake();
  }

  /**
   * Step 1 of closing: nobody enqueues or issues any more; waits until those who do so have left.
   */
  boolean shut(long deadline) {
    gate.shut();
    return gate.awaitEmpty(deadline);
  }

  /** Step 2: what was not issued fails. */
  void cancelAll(HalException reason) {
    failAll(reason, false);
  }

  /** Step 3: waits until all that was issued has retired. */
  boolean awaitIdle(long deadline) {
    boolean interrupted = false;
    try {
      synchronized (lock) {
        while (firstOpen != null) {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          try {
            lock.wait(left / 1_000_000 + 1);
          } catch (InterruptedException e) {
            interrupted = true; // closing goes on
          }
        }
        return true;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Step 4, only past the deadline: what is still in flight fails and is never retired; returns how
   * much that is.
   */
  int abandonAll(HalException reason) {
    return failAll(reason, true);
  }

  /**
   * Step 5: ends the threads and frees what is native, unless {@code leak}; false if a thread did
   * not end in time.
   */
  boolean stop(boolean leak, long deadline) {
    synchronized (lock) {
      isStopped = true;
    }
    OpenQueues.remove(this);
    boolean ended = issueRole.stop(deadline) & completionRole.stop(deadline);
    if (ended && !leak) {
      events.close();
      stream.close();
    }
    return ended;
  }

  /** For a queue whose device could not be opened: frees its stream. */
  void closeUnstarted() {
    events.close();
    stream.close();
  }

  private int failAll(HalException reason, boolean alsoIssued) {
    List<Operation<E>> open = new ArrayList<>();
    synchronized (lock) {
      for (Operation<E> operation = firstOpen; operation != null; operation = operation.openAfter) {
        operation.retain();
        open.add(operation);
      }
    }
    for (int i = open.size() - 1; i >= 0; i--) { // the list starts with the newest
      Operation<E> operation = open.get(i);
      failUnissued(operation, reason);
      if (alsoIssued && operation.state() == State.ISSUED) {
        Settling.fail(operation, reason);
      }
      operation.release();
    }
    return open.size();
  }

  private HalException loss(String call, Throwable thrown) {
    HalException failure = failureOf(thrown);
    return new HalException(
        Status.UNAVAILABLE,
        "the device of queue " + name + " is lost: " + call + " failed: " + failure,
        thrown);
  }

  private static HalException failureOf(Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.INTERNAL, "unexpected " + thrown, thrown);
  }

  /** What a host function threw, as a failure. */
  static HalException aborted(Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.ABORTED, "host work threw " + thrown, thrown);
  }

  // Looking in.

  /**
   * Adds this queue's operations, by state, to {@code counts}, which is indexed by {@link
   * State#ordinal()}.
   */
  void count(long[] counts) {
    synchronized (lock) {
      for (Operation<E> operation = firstOpen; operation != null; operation = operation.openAfter) {
        counts[operation.state().ordinal()]++;
      }
    }
  }

  long enqueued() {
    synchronized (lock) {
      return lastNumber - abandoned;
    }
  }

  long retired() {
    synchronized (lock) {
      return retired;
    }
  }

  /**
   * Describes the open operations that would raise {@code semaphore} to {@code value} to {@code
   * text}.
   */
  void explain(TimelineSemaphore semaphore, long value, List<String> text) {
    synchronized (lock) {
      for (Operation<E> operation = firstOpen; operation != null; operation = operation.openAfter) {
        if (operation.state() == State.REGISTERING) {
          continue; // being filled in by another thread
        }
        for (int i = 0; i < operation.signalCount(); i++) {
          if (operation.signal(i) == semaphore && operation.signalValue(i) >= value) {
            text.add(name + " " + operation.describe());
          }
        }
      }
    }
  }
}
