// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/** One operation of a test: what it is to do, and how often each thing has happened to it. */
final class QueueUse {
  final String name;
  final Fence waits;
  final Fence signals;

  // What it does. Written before it is enqueued.
  @Nullable HostCompletion hostCompletion;
  boolean signalsAfterHostCompletion = true;
  boolean endsWithHostCompletion = true;
  int weight = 1;
  boolean mayBlock;
  @Nullable Runnable atPutBack; // runs on the issuing thread; it is put back once, behind its waits
  boolean waitsOnHost;
  boolean hasBorrow;
  Runnable atIssue = () -> {}; // runs on the issuing thread
  @Nullable RuntimeException failsAtIssue; // thrown after its work has reached the stream
  @Nullable Error failsBehindRecord; // thrown in the engine's own code, as a stack overflow is
  @Nullable Error failsAtRegistering; // likewise, before its waits are registered
  @Nullable Error failsOnceOpen; // likewise, before it is READY or ISSUED
  Runnable onceOpen = () -> {}; // runs at the same place
  @Nullable Error failsAtEndOfBorrow; // likewise
  @Nullable RuntimeException failsAtHostThreads; // thrown when its host completion is to start
  volatile @Nullable Error failsAtDescription; // likewise
  @Nullable Runnable atEndOfBorrow; // run once
  @Nullable HalException failsInStream;
  Runnable effect = () -> {}; // what the native work does
  @Nullable RefCounted resource; // it holds a reference to this until it retires

  // What happened.
  final AtomicInteger issued = new AtomicInteger();
  final AtomicInteger executed = new AtomicInteger();
  final AtomicInteger retired = new AtomicInteger();
  final AtomicInteger borrowed = new AtomicInteger(1); // 0 once the borrow has ended
  volatile boolean waitsReached; // what Operation.waitsReached() was when it was issued
  @Nullable Operation<FakeStream.Event> operation; // to call hostCompletionOver() with

  QueueUse(String name, Fence waits, Fence signals) {
    this.name = name;
    this.waits = waits;
    this.signals = signals;
  }

  @Override
  public String toString() {
    return name + " (issued " + issued + ", executed " + executed + ", retired " + retired + ")";
  }

  /** The work of an operation, as the engine sees it. */
  static final class TestWork implements Work<FakeStream.Event> {
    @Nullable QueueUse use;
    private final HostThreads hostThreads;

    TestWork(HostThreads hostThreads) {
      this.hostThreads = hostThreads;
    }

    private QueueUse use() {
      QueueUse now = use;
      if (now == null) {
        throw new IllegalStateException("work is used although it was not filled in");
      }
      return now;
    }

    @Override
    public @Nullable Throwable issue(
        NativeStream<FakeStream.Event> stream,
        Batch<FakeStream.Event> batch,
        Operation<FakeStream.Event> operation) {
      QueueUse now = use();
      batch.submitWaits(stream);
      Runnable atPutBack = now.atPutBack;
      if (atPutBack != null) {
        now.atPutBack = null;
        atPutBack.run();
        operation.putBack();
        return null;
      }
      now.issued.incrementAndGet();
      now.atIssue.run();
      now.waitsReached = operation.waitsReached();
      ((FakeStream) stream)
          .add(
              () -> {
                now.executed.incrementAndGet();
                now.effect.run();
                if (now.failsInStream != null) {
                  ((FakeStream) stream).fail(operation, now.failsInStream);
                }
              });
      batch.submitEvent(stream, now.failsAtIssue);
      return now.failsAtIssue;
    }

    @Override
    public int weight(NativeStream<FakeStream.Event> stream) {
      return use().weight;
    }

    @Override
    public boolean weightMayChange() {
      use().onceOpen.run();
      Error error = use().failsOnceOpen;
      if (error != null) {
        use().failsOnceOpen = null;
        throw error;
      }
      return false;
    }

    @Override
    public int weightOfEach(NativeStream<FakeStream.Event> stream) {
      return weight(stream);
    }

    @Override
    public boolean mayBlock(NativeStream<FakeStream.Event> stream) {
      return use().mayBlock;
    }

    @Override
    public boolean waitsOnHost() {
      Error error = use().failsAtRegistering;
      if (error != null) {
        use().failsAtRegistering = null;
        throw error;
      }
      return use().waitsOnHost;
    }

    @Override
    public boolean hasBorrow() {
      return use().hasBorrow;
    }

    @Override
    public @Nullable HostCompletion hostCompletion() {
      Error error = use().failsBehindRecord;
      if (error != null) {
        use().failsBehindRecord = null;
        throw error;
      }
      return use().hostCompletion;
    }

    @Override
    public HostThreads hostThreads() {
      RuntimeException failure = use().failsAtHostThreads;
      if (failure != null) {
        throw failure;
      }
      return hostThreads;
    }

    @Override
    public boolean signalsAfterHostCompletion() {
      return use().signalsAfterHostCompletion;
    }

    @Override
    public boolean endsWithHostCompletion() {
      return use().endsWithHostCompletion;
    }

    @Override
    public void endBorrow() {
      QueueUse now = use;
      if (now != null) {
        Error error = now.failsAtEndOfBorrow;
        if (error != null) {
          now.failsAtEndOfBorrow = null;
          throw error;
        }
        Runnable meanwhile = now.atEndOfBorrow;
        if (meanwhile != null) {
          now.atEndOfBorrow = null;
          meanwhile.run();
        }
        now.borrowed.compareAndSet(1, 0);
      }
    }

    @Override
    public void retire(Consumer<RefCounted> releases) {
      endBorrow();
      QueueUse now = use();
      now.retired.incrementAndGet();
      use = null;
      if (now.resource != null) {
        releases.accept(now.resource);
      }
    }

    @Override
    public String kind() {
      return describe();
    }

    @Override
    public long kernel() {
      return 0;
    }

    @Override
    public int commandCount() {
      return 1;
    }

    @Override
    public String describe() {
      QueueUse now = use;
      Error error = now == null ? null : now.failsAtDescription;
      if (now != null && error != null) {
        now.failsAtDescription = null;
        throw error;
      }
      return now == null ? "nothing" : now.name;
    }
  }
}
