// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.Submission;
import org.jhal.driver.support.EngineThread;
import org.jhal.driver.support.OneShotStream;

/** A thread that does what it is given, one after the other. */
class TinyStream extends OneShotStream<CountDownLatch> {
  private final TinyDevice device;
  private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
  private final AtomicLong open = new AtomicLong(); // given to the thread and not done
  private final Thread thread;
  private boolean isClosed; // of the thread

  TinyStream(TinyDevice device, String name) {
    this.device = device;
    this.thread = new EngineThread(name, this::run);
    thread.start();
  }

  private void run() {
    while (!isClosed) {
      take().run();
      open.decrementAndGet();
    }
  }

  private Runnable take() {
    while (true) {
      try {
        return work.take();
      } catch (InterruptedException e) {
        // no code interrupts this thread
      }
    }
  }

  /** Hands something to the thread. */
  void add(Runnable task) {
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
    add(() -> recordings.forEach(TinyStream::await));
  }

  @Override
  protected boolean hasFired(CountDownLatch recording) {
    return recording.getCount() == 0;
  }

  @Override
  protected void synchronize(CountDownLatch recording) {
    await(recording);
  }

  /** Waits as native runtimes do: an interrupt changes nothing, and is kept. */
  static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  protected void issue(CommandList commands, Submission submission) {
    for (int i = 0; i < commands.size(); i++) {
      TinyTask task = prepare(commands.get(i), submission); // operands are resolved now or never
      add(
          () -> {
            try {
              task.run();
            } catch (Throwable t) { // whatever a kernel throws fails its operation and nothing else
              submission.fail(
                  t instanceof HalException failure
                      ? failure
                      : new HalException(Status.ABORTED, "a kernel threw " + t, t));
            }
          });
    }
  }

  /** Prepares a command. */
  TinyTask prepare(Command command, Submission submission) {
    return TinyTask.of(command, submission);
  }

  @Override
  protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
    return device.allocate(bytes, params);
  }

  @Override
  protected void freeAsync(DeviceMemory memory) {
    memory.free(); // work that is under way has a reference, so the collector keeps it till then
  }

  @Override
  public boolean isIdle() {
    return open.get() == 0;
  }

  @Override
  public void close() {
    add(() -> isClosed = true);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
