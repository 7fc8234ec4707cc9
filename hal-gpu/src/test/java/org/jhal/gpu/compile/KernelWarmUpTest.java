// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.kernels.cache.KernelCache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The preparations for kernels while a device is opened. */
class KernelWarmUpTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path folder;

  @Test
  void eachStepSucceeds() throws Exception {
    AtomicInteger searches = new AtomicInteger();
    KernelWarmUp.warmUp(KernelCache.in(folder), searches::incrementAndGet);
    assertEquals(1, searches.get());
  }

  @Test
  void aFailureEndsTheDaemonThreadAndIsNotRepeated() throws Exception {
    CompletableFuture<Thread> first = new CompletableFuture<>();
    AtomicInteger others = new AtomicInteger();
    KernelWarmUp.start(
        KernelCache.in(folder),
        () -> {
          first.complete(Thread.currentThread());
          throw new StackOverflowError("for the test");
        });
    KernelWarmUp.start(KernelCache.in(folder), others::incrementAndGet);
    Thread thread = first.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertTrue(thread.isDaemon());
    thread.join(DEADLINE.toMillis());
    assertEquals(Thread.State.TERMINATED, thread.getState(), "state of " + thread.getName());
    assertEquals(0, others.get());
  }
}
