// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.driver.MappedRange;
import org.jhal.driver.ThreadBinding;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.Faults;
import org.jspecify.annotations.Nullable;

/**
 * The device of a driver that has nothing in common with a runtime for GPUs but the order of its
 * streams: its memory has no addresses, its streams are threads and count what they have done, and
 * what the host writes to staging memory reaches the device only when it is flushed.
 */
final class PlainDevice implements ThreadBinding, AutoCloseable {
  static final int DEADLINE_SECONDS = 30;

  final Faults faults =
      new Faults(
          Set.of(
              "bind",
              "open",
              "pin",
              "map",
              "free",
              "upload",
              "readback",
              "mark",
              "milestone",
              "isPassed",
              "synchronize"));
  final MemoryBudget budget;
  final TransferRing ring;

  /** Streams that are open and staging memory that is not freed. */
  final AtomicInteger live = new AtomicInteger();

  /** Of the staging memory that is not freed, that which is page-locked. */
  final AtomicInteger pinned = new AtomicInteger();

  /** Tasks of the copying threads that are not over. */
  final AtomicInteger tasks = new AtomicInteger();

  /** How many threads wait for a stream. */
  final AtomicInteger waiting = new AtomicInteger();

  /** Streams do nothing until it is open. */
  volatile CountDownLatch gate = new CountDownLatch(0);

  /** How many copies streams may make in all, besides. */
  final Semaphore copies = new Semaphore(Integer.MAX_VALUE);

  private final ThreadLocal<Integer> bound = ThreadLocal.withInitial(() -> 0);
  private final ExecutorService copyThreads;

  PlainDevice(long memory, long stagingBytes, int threads) {
    budget = new MemoryBudget("plain-0", memory);
    ring = new TransferRing(this, Stream::new, stagingBytes, threads);
    copyThreads = Executors.newFixedThreadPool(threads);
  }

  @Override
  public long bindToThread() {
    faults.check("bind");
    bound.set(bound.get() + 1);
    return bound.get();
  }

  @Override
  public void unbindFromThread(long token) {
    assertEquals(token, (long) bound.get(), "the token");
    bound.set(bound.get() - 1);
  }

  private void assertBound() {
    assertTrue(bound.get() > 0, "called without the device bound");
  }

  /** Calls as the engine does. */
  void run(Runnable body) {
    long token = bindToThread();
    try {
      body.run();
    } finally {
      unbindFromThread(token);
    }
  }

  /** Fails the nth use of a call. */
  void fail(String call, int nth, Status status) {
    faults.failNth(call, nth, new HalException(status, call + " fails on purpose"));
  }

  Memory allocate(int size) {
    return new Memory(size);
  }

  /** Begins a transfer, and returns its end. */
  Transfer start(PageableTransfer completion) {
    Transfer transfer = new Transfer();
    execute(
        () -> {
          assertEquals(0, bound.get(), "bound by another task");
          completion.run(transfer);
        });
    return transfer;
  }

  private void execute(Runnable task) {
    tasks.incrementAndGet();
    copyThreads.execute(
        () -> {
          try {
            task.run();
          } finally {
            tasks.decrementAndGet();
          }
        });
  }

  /** Waits until no transfer runs, and ends the ring. */
  @Override
  public void close() throws InterruptedException {
    copyThreads.shutdown();
    assertTrue(
        copyThreads.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS),
        "the copying threads have not ended");
    run(ring::close);
  }

  /** What the engine gives a host completion, and the end of the operation. */
  final class Transfer implements HostCompletion.Context, HostCompletion.Completion, HostThreads {
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Throwable failure;

    @Override
    public HostCompletion.Completion defer() {
      return this;
    }

    @Override
    public HostThreads threads() {
      return this;
    }

    @Override
    public void execute(Runnable task) {
      PlainDevice.this.execute(task);
    }

    @Override
    public void end(@Nullable Throwable why) {
      assertEquals(0, bound.get(), "the device is bound during callbacks");
      assertEquals(1, ended.getCount(), "it has ended before");
      failure = why;
      ended.countDown();
    }

    /** Waits for the end; returns what it failed with, or null. */
    @Nullable Throwable await() throws InterruptedException {
      assertTrue(ended.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the transfer has not ended");
      return failure;
    }
  }

  /** Memory of the device. */
  final class Memory implements DeviceMemory {
    final byte[] bytes;
    final AtomicInteger frees = new AtomicInteger();

    Memory(int size) {
      budget.reserve(size);
      bytes = new byte[size];
    }

    @Override
    public long size() {
      return bytes.length;
    }

    @Override
    public MappedRange map(long offset, int length) {
      throw new AssertionError("memory of the device is not mapped");
    }

    @Override
    public void free() {
      assertEquals(1, frees.incrementAndGet(), "frees");
      budget.giveBack(bytes.length);
    }
  }

  /** Staging memory that the host and the device see in copies of their own. */
  private final class Staging implements DeviceMemory {
    final byte[] seenByDevice;
    final boolean isPinned;
    boolean isFreed;

    Staging(int size, boolean isPinned) {
      this.seenByDevice = new byte[size];
      this.isPinned = isPinned;
      live.incrementAndGet();
      pinned.addAndGet(isPinned ? 1 : 0);
    }

    @Override
    public long size() {
      return seenByDevice.length;
    }

    @Override
    public MappedRange map(long offset, int length) {
      assertEquals(0, offset);
      assertEquals(seenByDevice.length, length);
      faults.check("map");
      byte[] seenByHost = new byte[length];
      ByteBuffer view = ByteBuffer.wrap(seenByHost);
      return new MappedRange() {
        @Override
        public ByteBuffer bytes() {
          return view;
        }

        @Override
        public void flush() {
          System.arraycopy(seenByHost, 0, seenByDevice, 0, length);
        }

        @Override
        public void invalidate() {
          System.arraycopy(seenByDevice, 0, seenByHost, 0, length);
        }
      };
    }

    @Override
    public void free() {
      assertBound();
      assertTrue(!isFreed, "freed twice");
      isFreed = true;
      live.decrementAndGet();
      pinned.addAndGet(isPinned ? -1 : 0);
      faults.check("free");
    }
  }

  Stream open() {
    return new Stream();
  }

  /** A thread that copies. A mark is the number of copies before it. */
  final class Stream implements CopyStream {
    @GuardedBy("this")
    private final List<Runnable> copies = new ArrayList<>();

    @GuardedBy("this")
    private long done;

    @GuardedBy("this")
    private boolean isClosed;

    private final Thread thread = new Thread(this::work, "plain-stream");

    Stream() {
      assertBound();
      faults.check("open");
      thread.setDaemon(true);
      thread.start();
      live.incrementAndGet();
    }

    private void work() {
      try {
        for (Runnable copy = next(); copy != null; copy = next()) {
          gate.await();
          PlainDevice.this.copies.acquire();
          copy.run();
          synchronized (this) {
            done++;
            notifyAll();
          }
        }
      } catch (InterruptedException e) {
        throw new AssertionError("nothing interrupts this thread", e);
      }
    }

    private synchronized @Nullable Runnable next() throws InterruptedException {
      while (done == copies.size() && !isClosed) {
        wait();
      }
      return done < copies.size() ? copies.get((int) done) : null;
    }

    private synchronized void put(Runnable copy) {
      assertTrue(!isClosed, "used after its end");
      copies.add(copy);
      notifyAll();
    }

    @Override
    public DeviceMemory allocate(int bytes, boolean isPinned) {
      assertBound();
      if (isPinned) {
        faults.check("pin");
      }
      return new Staging(bytes, isPinned);
    }

    @Override
    public void upload(DeviceMemory staging, long from, DeviceMemory target, long to, long bytes) {
      assertBound();
      faults.check("upload");
      byte[] source = ((Staging) staging).seenByDevice;
      byte[] memory = ((Memory) target).bytes;
      put(() -> System.arraycopy(source, (int) from, memory, (int) to, (int) bytes));
    }

    @Override
    public void readback(
        DeviceMemory source, long from, DeviceMemory staging, long to, long bytes) {
      assertBound();
      faults.check("readback");
      byte[] memory = ((Memory) source).bytes;
      byte[] target = ((Staging) staging).seenByDevice;
      put(() -> System.arraycopy(memory, (int) from, target, (int) to, (int) bytes));
    }

    @Override
    public synchronized long mark() {
      assertBound();
      faults.check("mark");
      return copies.size();
    }

    @Override
    public synchronized boolean isPast(long mark) {
      assertBound();
      return done >= mark;
    }

    @Override
    public Milestone milestone() {
      assertBound();
      faults.check("milestone");
      live.incrementAndGet();
      return new Milestone() {
        private volatile long place;

        @Override
        public void set() {
          assertTrue(isPast(place), "set again before it is passed");
          place = mark();
        }

        @Override
        public boolean isPassed() {
          faults.check("isPassed");
          return isPast(place);
        }

        @Override
        public void close() {
          live.decrementAndGet();
        }
      };
    }

    @Override
    public void synchronize() {
      assertBound();
      faults.check("synchronize");
      waiting.incrementAndGet();
      try {
        awaitDone();
      } catch (InterruptedException e) {
        throw new AssertionError("nothing interrupts this thread", e);
      } finally {
        waiting.decrementAndGet();
      }
    }

    private synchronized void awaitDone() throws InterruptedException {
      while (done < copies.size()) {
        wait();
      }
    }

    @Override
    public synchronized void close() {
      assertBound();
      assertTrue(!isClosed, "closed twice");
      isClosed = true;
      notifyAll();
      live.decrementAndGet();
    }
  }
}
