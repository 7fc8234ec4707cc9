// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.PreparedCommands;
import org.jhal.driver.StepwiseStream;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * A native stream that is a list of items. It runs only when a test calls {@link #advance()} or the
 * engine waits for one of its events. So a test decides when what happens, on one thread or
 * several. Calls that the engine must not make are recorded as violations.
 *
 * <p>Thread-safe.
 */
public final class FakeStream extends StepwiseStream<FakeStream.Event> {
  /** A native event, which can be recorded repeatedly. Guarded by the device. */
  public static final class Event {
    private long recorded; // how often it was recorded
    private long fired; // the number of the latest recording that has fired
    private long asked; // the number of the latest recording whose outcome was asked for
    private @Nullable HalException outcome; // of the latest recording that has fired
    private boolean isDestroyed;

    private Event() {}
  }

  /** The state that the streams of one device share, and the lock that guards all of it. */
  public static final class FakeDevice {
    final List<String> violations = new ArrayList<>();
    private final Map<String, Fault> faults = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();
    private @Nullable String dies; // the call that overflows the stack next
    private @Nullable HalException lost;
    private int liveEvents;
    private boolean isHeld;
    private boolean isInOrder = true;
    private boolean reportsOnlyIfAsked;

    /** What each question of the engine about a stream does first; it may throw. */
    public volatile Consumer<String> atQuestion = question -> {};

    /** What each native call does first, with the lock held; it may throw an error. */
    public volatile Consumer<String> atCall = call -> {};

    /** The result of {@link FakeStream#weight(PreparedCommands)}. */
    public volatile int preparedWeight = 1;

    /** Makes the {@code nth} call of {@code call} from now on throw. */
    public synchronized void failNth(String call, int nth, RuntimeException failure) {
      faults.put(call, new Fault(nth, failure));
    }

    /** Makes every further call throw. */
    public synchronized void lose(HalException cause) {
      lost = cause;
    }

    /** While {@code held}, nothing runs, and a thread that waits for an event blocks. */
    public synchronized void setHeld(boolean held) {
      isHeld = held;
      notifyAll();
    }

    private synchronized void awaitRelease() {
      while (isHeld) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new AssertionError("native waits are not interrupted", e);
        }
      }
    }

    public synchronized int liveEvents() {
      return liveEvents;
    }

    public synchronized int calls(String call) {
      return calls.getOrDefault(call, 0);
    }

    /** Sets whether a stream runs its work in order, or may reorder work that no event orders. */
    public synchronized void setInOrder(boolean inOrder) {
      isInOrder = inOrder;
    }

    /** Reports failed work only as the outcome of its event. Call it before anything is issued. */
    public synchronized void reportOnlyIfAsked() {
      reportsOnlyIfAsked = true;
    }

    public synchronized boolean isAsked() {
      return reportsOnlyIfAsked;
    }

    public synchronized List<String> violations() {
      return List.copyOf(violations);
    }

    private void enter(String call) {
      if (lost != null) {
        throw lost.again();
      }
      fail(call);
    }

    /** Makes the next call of {@code call} run out of stack, before it has any effect. */
    public synchronized void dieNext(String call) {
      dies = call;
    }

    public synchronized void fail(String call) {
      atCall.accept(call);
      if (call.equals(dies)) {
        dies = null;
        throw new StackOverflowError("on purpose");
      }
      calls.merge(call, 1, Integer::sum);
      Fault fault = faults.get(call);
      if (fault != null && --fault.left == 0) {
        faults.remove(call);
        throw fault.failure;
      }
    }
  }

  private static final class Fault {
    int left;
    final RuntimeException failure;

    Fault(int left, RuntimeException failure) {
      this.left = left;
      this.failure = failure;
    }
  }

  /** An item of a stream: a wait for a recording, a piece of work, or a recording. */
  private record Item(
      @Nullable Event awaited, @Nullable Runnable work, @Nullable Event recorded, long number) {}

  private final FakeDevice device;
  private final int capacity;
  private List<FakeStream> siblings = List.of(this); // all streams of the device
  private final Deque<Item> items = new ArrayDeque<>(); // guarded by device
  private @Nullable Thread issuing; // issues since the last recording; guarded by device
  private @Nullable HalException failed; // work since the last recording that ran; as above
  public Runnable atIsIdle = () -> {};
  public Runnable whileClosing = () -> {};
  private volatile BiConsumer<CommandList, Submission> onIssue = (commands, submission) -> {};
  private boolean isClosed; // guarded by device
  private int refusesAcross; // refuses the nth call of across() that must not block, unless it is 0

  public FakeStream(FakeDevice device) {
    this(device, Integer.MAX_VALUE);
  }

  public FakeStream(FakeDevice device, int capacity) {
    this.device = device;
    this.capacity = capacity;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  /** Leaves the {@code nth} thing that involves another device to a thread that may block. */
  public void refuseAcross(int nth) {
    refusesAcross = nth;
  }

  /** Used by the thread that issues. */
  @Override
  public boolean across(boolean mayBlock, Runnable body) {
    if (!mayBlock && refusesAcross > 0 && --refusesAcross == 0) {
      return false;
    }
    body.run();
    return true;
  }

  @Override
  public int weight(Command command) {
    device.atQuestion.accept("weight");
    return 1;
  }

  @Override
  public int weight(PreparedCommands prepared) {
    device.atQuestion.accept("weight of prepared commands");
    return device.preparedWeight;
  }

  @Override
  public int timingWeight(boolean isRecorded) {
    device.atQuestion.accept("timingWeight");
    return -1;
  }

  @Override
  public boolean issueMayBlock(CommandList commands) {
    device.atQuestion.accept("issueMayBlock");
    return false;
  }

  @Override
  public boolean allocMayBlock(BufferParams params) {
    device.atQuestion.accept("allocMayBlock");
    return false;
  }

  /** Adds work, like {@link #issue} of a driver. It runs with the device's lock held. */
  public void add(Runnable work) {
    synchronized (device) {
      enter("issue");
      checkIssuer();
      items.add(new Item(null, work, null, 0));
    }
  }

  /** Called by work that has failed while it ran. */
  void fail(Operation<Event> operation, HalException failure) {
    synchronized (device) {
      if (device.reportsOnlyIfAsked) {
        failed = failure;
      } else {
        operation.failWork(failure);
      }
    }
  }

  /** Runs all items until one is not possible now. */
  public void advanceAll() {
    while (advance()) {
      continue;
    }
  }

  /** Runs the next item if that is possible now. Returns whether it was. */
  public boolean advance() {
    synchronized (device) {
      Item item = items.peek();
      if (item == null
          || device.isHeld
          || (item.awaited != null && item.awaited.fired < item.number)) {
        return false;
      }
      items.remove();
      if (item.work != null) {
        item.work.run();
      }
      if (item.recorded != null) {
        item.recorded.fired = Math.max(item.recorded.fired, item.number);
        item.recorded.outcome = failed;
        failed = null;
      }
      return true;
    }
  }

  /** Gets past a wait, which is the next item, as behind an event of a device that is lost. */
  public void skipWait() {
    synchronized (device) {
      Item item = items.remove();
      if (item.awaited == null) {
        throw new AssertionError("the next item is no wait");
      }
    }
  }

  public boolean isClosed() {
    synchronized (device) {
      return isClosed;
    }
  }

  private void enter(String call) {
    if (isClosed) {
      device.violations.add(call + " after close");
    }
    device.enter(call);
  }

  /** Only one thread may issue between two recordings. */
  private void checkIssuer() {
    Thread now = Thread.currentThread();
    if (issuing != null && issuing != now) {
      device.violations.add(issuing.getName() + " and " + now.getName() + " issue at once");
    }
    issuing = now;
  }

  private void check(boolean holds, String violation) {
    if (!holds) {
      device.violations.add(violation);
    }
  }

  @Override
  public long bindToThread() {
    synchronized (device) {
      device.fail("bindToThread"); // binding works even on a lost device
      return 0;
    }
  }

  @Override
  public Event createEvent() {
    synchronized (device) {
      enter("createEvent");
      device.liveEvents++;
      return new Event();
    }
  }

  @Override
  public void destroyEvent(Event event) {
    synchronized (device) {
      device.fail("destroyEvent"); // also works on a lost device
      check(!event.isDestroyed, "event destroyed twice");
      check(
          event.recorded == event.fired || device.lost != null, "event destroyed before it fired");
      check(!isClosed, "destroyEvent after close");
      event.isDestroyed = true;
      device.liveEvents--;
    }
  }

  /**
   * {@code submit} fails before anything has reached the stream, {@code returned} and {@code
   * submitted} when all of it has: one is a failure that the event covers, the other one is thrown.
   */
  @Override
  public @Nullable Throwable submit(StreamBatch<Event> batch) {
    device.fail("submit");
    Throwable failure = super.submit(batch);
    device.fail("submitted");
    try {
      device.fail("returned");
    } catch (HalException returned) {
      return returned;
    }
    return failure;
  }

  @Override
  protected void recordEvent(Event event) {
    synchronized (device) {
      enter("recordEvent");
      checkIssuer();
      issuing = null;
      check(!event.isDestroyed, "destroyed event recorded");
      check(event.recorded == event.fired, "event recorded again before it fired");
      check(
          !device.reportsOnlyIfAsked || event.recorded == event.asked,
          "event recorded again before its outcome was asked for");
      items.add(new Item(null, null, event, ++event.recorded));
    }
  }

  @Override
  protected void waitEvent(Event event) {
    synchronized (device) {
      enter("waitEvent");
      checkIssuer();
      check(!event.isDestroyed, "wait for a destroyed event");
      check(event.recorded > 0, "wait for an event that was never recorded");
      items.add(new Item(event, null, null, event.recorded));
    }
  }

  @Override
  public boolean queryEvent(Event event) {
    synchronized (device) {
      enter("queryEvent");
      check(!event.isDestroyed, "query of a destroyed event");
      return event.fired == event.recorded;
    }
  }

  /** Runs the streams until the event has fired. */
  @Override
  public void synchronizeEvent(Event event) {
    synchronized (device) {
      enter("synchronizeEvent");
      check(!event.isDestroyed, "wait of the host for a destroyed event");
      device.awaitRelease();
      if (!runUntil(this, event, event.recorded)) {
        device.violations.add("the host waits for an event that will never fire");
      }
    }
  }

  @Override
  public @Nullable HalException outcome(Event event) {
    synchronized (device) {
      enter("outcome");
      check(device.reportsOnlyIfAsked, "the outcome asked for though it cannot fail");
      check(!event.isDestroyed, "the outcome of a destroyed event asked for");
      check(event.fired == event.recorded, "the outcome asked for before the event fired");
      check(event.asked < event.recorded, "the outcome asked for twice");
      event.asked = event.recorded;
      return event.outcome;
    }
  }

  private static boolean runUntil(FakeStream stream, Event event, long number) {
    while (event.fired < number) {
      Item item = stream.items.peek();
      if (item == null) {
        return false;
      }
      if (item.awaited != null && item.awaited.fired < item.number) {
        FakeStream other = stream.recorder(item.awaited, item.number);
        if (other == null || other == stream || !runUntil(other, item.awaited, item.number)) {
          return false;
        }
      }
      if (!stream.advance()) {
        return false;
      }
    }
    return true;
  }

  /** Makes {@code streams} the streams of one device. */
  public static void join(List<FakeStream> streams) {
    for (FakeStream stream : streams) {
      stream.siblings = List.copyOf(streams);
    }
  }

  private @Nullable FakeStream recorder(Event event, long number) {
    for (FakeStream stream : siblings) {
      for (Item item : stream.items) {
        if (item.recorded == event && item.number == number) {
          return stream;
        }
      }
    }
    return null;
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    onIssue.accept(commands, submission);
    add(() -> {}); // there are no bytes to change
  }

  /** Sets what {@link #issue} runs on the issuing thread, before the work reaches the stream. */
  public void setOnIssue(BiConsumer<CommandList, Submission> body) {
    onIssue = body;
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return new DeviceMemory() {
      @Override
      public long size() {
        return bytes;
      }

      @Override
      public MappedRange map(long offset, int length) {
        throw new UnsupportedOperationException("tests map nothing");
      }

      @Override
      public void free() {}
    };
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {}

  @Override
  public boolean isInOrder() {
    return device.isInOrder;
  }

  @Override
  public boolean isIdle() {
    synchronized (device) {
      enter("isIdle");
      atIsIdle.run();
      return items.isEmpty();
    }
  }

  @Override
  public void close() {
    whileClosing.run();
    synchronized (device) {
      device.fail("close");
      check(items.isEmpty() || device.lost != null, "stream closed with work in it");
      isClosed = true;
    }
  }
}
