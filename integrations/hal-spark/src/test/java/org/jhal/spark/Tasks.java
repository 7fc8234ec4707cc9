// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.resource.ResourceInformation;
import org.jhal.Device;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.mock.MockControls;
import scala.Option;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.Map;

/** Tasks without a Spark that runs them. */
final class Tasks {
  static final Duration LIMIT = Duration.ofSeconds(60);
  static final String RESOURCE = "accelerator";

  private static final AtomicLong IDS = new AtomicLong();

  private Tasks() {}

  /** A task that has {@code addresses} of a resource. */
  static TaskContextImpl of(String resource, String... addresses) {
    Map<String, ResourceInformation> resources =
        new HashMap<String, ResourceInformation>()
            .updated(resource, new ResourceInformation(resource, addresses));
    return of(resources);
  }

  static TaskContextImpl withoutResources() {
    return of(new HashMap<>());
  }

  @SuppressWarnings("NullAway") // Spark itself passes null where there is no environment
  private static TaskContextImpl of(Map<String, ResourceInformation> resources) {
    long id = IDS.incrementAndGet();
    return new TaskContextImpl(
        1, 0, (int) id, id, 0, 1, null, new Properties(), null, new TaskMetrics(), 1, resources);
  }

  /** Calls {@code what} as {@code task} does, on this thread. */
  static <T> T in(TaskContext task, Supplier<T> what) {
    TaskContext before = TaskContext.get();
    TaskContext$.MODULE$.setTaskContext(task);
    try {
      return what.get();
    } finally {
      TaskContext$.MODULE$.setTaskContext(before);
    }
  }

  /** The same on a separate thread. */
  static <T> CompletableFuture<T> start(TaskContext task, Supplier<T> what) {
    return start("task-" + task.taskAttemptId(), () -> in(task, what));
  }

  /** Calls {@code what} on a separate thread. */
  static <T> CompletableFuture<T> start(String name, Supplier<T> what) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(what.get());
              } catch (Throwable t) {
                result.completeExceptionally(t);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  /** The task is over, successfully. */
  static void end(TaskContextImpl task) {
    task.markTaskCompleted(Option.empty());
  }

  /** The result of a thread. */
  static <T> T get(String what, CompletableFuture<T> future, Object state) {
    try {
      return outcome(what, future, state);
    } catch (ExecutionException e) {
      throw new AssertionError(what + " failed", e.getCause());
    }
  }

  /** The exception of a thread. */
  static Throwable failure(String what, CompletableFuture<?> future, Object state) {
    try {
      Object value = outcome(what, future, state);
      throw new AssertionError(what + " did not fail but returned " + value);
    } catch (ExecutionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  private static <T> T outcome(String what, CompletableFuture<T> future, Object state)
      throws ExecutionException {
    try {
      return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("waited for " + what + " in vain; " + state, e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for " + what, e);
    }
  }

  /** Loses a device. */
  static void lose(Device device) {
    MockControls.of(device).lose(new HalException(Status.UNAVAILABLE, "cable pulled"));
  }

  /** Waits until a condition holds. */
  static void await(String what, BooleanSupplier condition, Object state) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("waited for " + what + " in vain; " + state);
      }
      Thread.onSpinWait();
    }
  }
}
