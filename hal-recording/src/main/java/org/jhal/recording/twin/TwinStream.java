// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.OneShotStream;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs commands on both devices, one after the other.
 *
 * <p>Thread-safe as {@link org.jhal.driver.NativeStream} requires.
 */
final class TwinStream extends OneShotStream<CountDownLatch> {
  private final TwinDevice device;
  private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
  private final AtomicLong open = new AtomicLong(); // given to the thread and not done
  private final Thread thread;
  private boolean isClosed; // of the thread

  TwinStream(TwinDevice device, String name) {
    this.device = device;
    this.thread = new EngineThread(name, this::loop);
    thread.start();
  }

  private void loop() {
    while (!isClosed) {
      uninterruptibly(work::take).run();
      open.decrementAndGet();
    }
  }

  /** A wait as in native runtimes: an interrupt changes nothing, and is kept. */
  private interface Wait<T> {
    T end() throws InterruptedException;
  }

  private static <T> T uninterruptibly(Wait<T> wait) {
    boolean isInterrupted = false;
    while (true) {
      try {
        T result = wait.end();
        if (isInterrupted) {
          Thread.currentThread().interrupt();
        }
        return result;
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
  }

  private static void await(CountDownLatch latch) {
    boolean unused =
        uninterruptibly(
            () -> {
              latch.await();
              return true;
            });
  }

  private void add(Runnable task) {
    open.incrementAndGet();
    work.add(task);
  }

  @Override
  protected CountDownLatch record() {
    CountDownLatch recording = new CountDownLatch(1);
    add(recording::countDown);
    return recording;
  }

  @Override
  protected void waitFor(List<CountDownLatch> recordings) {
    add(() -> recordings.forEach(TwinStream::await));
  }

  @Override
  protected boolean hasFired(CountDownLatch recording) {
    return recording.getCount() == 0;
  }

  @Override
  protected void synchronize(CountDownLatch recording) {
    await(recording);
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    for (int i = 0; i < commands.size(); i++) {
      Command command = commands.get(i);
      if (command.kind() == Command.Kind.UPLOAD || command.kind() == Command.Kind.READBACK) {
        submission.moves(command, TransferPath.HOST);
      }
      TwinCommand resolved = new TwinCommand(command, submission);
      add(submission, () -> device.run(resolved));
    }
  }

  private void add(Submission submission, Supplier<@Nullable HalException> task) {
    add(
        () -> {
          HalException failure = task.get();
          if (failure != null) {
            submission.fail(failure);
          }
        });
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    TwinMemory memory = device.promise(bytes, params);
    add(submission, () -> device.alloca(memory));
    return memory;
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    TwinMemory freed = (TwinMemory) memory;
    device.endAccount(freed);
    add(
        () -> {
          HalException unused = device.dealloca(freed); // if it is lost, the next command says so
        });
  }

  @Override
  public boolean isIdle() {
    return open.get() == 0;
  }

  @Override
  public void close() {
    add(() -> isClosed = true);
    boolean unused =
        uninterruptibly(
            () -> {
              thread.join();
              return true;
            });
  }
}
