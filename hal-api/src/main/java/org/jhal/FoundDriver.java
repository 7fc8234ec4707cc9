// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.DriverRegistry.Answer;
import org.jhal.DriverRegistry.Entry;
import org.jhal.spi.DriverProvider;
import org.jhal.spi.DurationText;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * A driver that a {@link DriverRegistry} has found. Creates it once and probes it; tolerates
 * drivers that throw or hang.
 *
 * <p>Thread-safe; holds no lock while it calls the driver.
 */
final class FoundDriver {
  /** The location of a provider whose origin cannot be determined. */
  static final String UNKNOWN = "unknown";

  private static final int MAX_CAUSES = 20; // a chain of causes may be cyclic

  final @Nullable DriverProvider provider; // null if it could not be loaded
  final int preference;
  final Entry entry;

  /**
   * The driver once it is created or being created; null before that, and after an attempt to
   * create it has failed.
   */
  private final AtomicReference<@Nullable CompletableFuture<Driver>> made = new AtomicReference<>();

  /** The future result of a probing thread; null if no thread is probing. */
  private final AtomicReference<@Nullable CompletableFuture<Answer>> asked =
      new AtomicReference<>();

  FoundDriver(@Nullable DriverProvider provider, int preference, Entry entry) {
    this.provider = provider;
    this.preference = preference;
    this.entry = entry;
  }

  /**
   * Returns whether two class loaders have found the same driver: the same class, or a class of the
   * same name in the same jar.
   */
  boolean isSame(FoundDriver other) {
    if (provider == null || other.provider == null) {
      return provider == other.provider && entry.equals(other.entry);
    }
    Class<?> mine = provider.getClass();
    Class<?> theirs = other.provider.getClass();
    return mine == theirs
        || (mine.getName().equals(theirs.getName())
            && !entry.location().equals(UNKNOWN)
            && entry.location().equals(other.entry.location()));
  }

  /**
   * Returns the driver, which the first call that succeeds creates. The entry must have no problem.
   */
  Driver driver() {
    CompletableFuture<Driver> mine = new CompletableFuture<>();
    CompletableFuture<Driver> theirs = made.compareAndExchange(null, mine);
    if (theirs == null) {
      make(mine);
    }
    try {
      return (theirs == null ? mine : theirs).join();
    } catch (CompletionException e) {
      throw ((HalException) Objects.requireNonNull(e.getCause())).again();
    }
  }

  private void make(CompletableFuture<Driver> mine) {
    HalException failure;
    try {
      mine.complete(
          Objects.requireNonNull(Objects.requireNonNull(provider).create(), "created driver"));
      return;
    } catch (HalException e) {
      failure = e;
    } catch (Throwable t) {
      failure =
          new HalException(
              HostFailures.isExhausted(t) ? Status.RESOURCE_EXHAUSTED : Status.UNAVAILABLE,
              "driver '"
                  + entry.name()
                  + "' of "
                  + entry.location()
                  + " does not start: "
                  + reason(t)
                  + advice(t),
              t);
    }
    made.set(null); // later callers try again; those already waiting get this failure
    mine.completeExceptionally(failure);
  }

  /** Returns advice if modules are missing because nothing on the module path requires them. */
  private String advice(Throwable thrown) {
    Module module = Objects.requireNonNull(provider).getClass().getModule();
    boolean asksForNone = module.isNamed() && module.getDescriptor().isAutomatic();
    return thrown instanceof NoClassDefFoundError && asksForNone
        ? "; as an automatic module, "
            + module.getName()
            + " cannot say which modules it needs: start the JVM with --add-modules ALL-MODULE-PATH"
        : "";
  }

  /**
   * Returns why the driver cannot be used on this machine, or null if it can. Probes the driver on
   * this thread.
   */
  @Nullable String unusable() {
    if (entry.problem() != null) {
      return entry.problem();
    }
    try {
      Driver.Availability verdict = probe();
      return verdict.isAvailable() ? null : verdict.detail();
    } catch (Throwable t) {
      return reason(t);
    }
  }

  private Driver.Availability probe() {
    return Objects.requireNonNull(driver().probe(), "verdict of probe()");
  }

  /** Probes all of {@code drivers} in parallel, each on its own thread. */
  static List<Answer> askAll(List<FoundDriver> drivers, Duration patience)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    long begin = System.nanoTime();
    long limit = FenceWait.saturatedNanos(patience);
    List<CompletableFuture<Answer>> asked = drivers.stream().map(FoundDriver::ask).toList();
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      long left = Math.max(0, limit - (System.nanoTime() - begin));
      try {
        answers.add(asked.get(i).get(left, TimeUnit.NANOSECONDS));
      } catch (TimeoutException e) {
        Entry entry = drivers.get(i).entry;
        answers.add(refusal(entry, "it has not answered within " + DurationText.of(patience)));
      } catch (ExecutionException e) {
        throw new AssertionError("asking a driver does not fail", e);
      }
    }
    return List.copyOf(answers);
  }

  private CompletableFuture<Answer> ask() {
    String problem = entry.problem();
    if (problem != null) {
      return CompletableFuture.completedFuture(refusal(entry, problem));
    }
    CompletableFuture<Answer> mine = new CompletableFuture<>();
    CompletableFuture<Answer> theirs = asked.compareAndExchange(null, mine);
    if (theirs != null) {
      return theirs;
    }
    Thread thread = new Thread(() -> give(mine, answer()), "jhal-probe-" + entry.name());
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // no more threads
      give(mine, refusal(entry, reason(e)));
    }
    return mine;
  }

  private void give(CompletableFuture<Answer> mine, Answer answer) {
    asked.set(null);
    mine.complete(answer);
  }

  private Answer answer() {
    try {
      Driver.Availability verdict = probe();
      List<DeviceInfo> devices =
          verdict.isAvailable() ? driver().devices(DeviceUri.parse(entry.name())) : List.of();
      return new Answer(entry, verdict, devices);
    } catch (Throwable t) {
      return refusal(entry, reason(t));
    }
  }

  private static Answer refusal(Entry entry, String reason) {
    return new Answer(entry, Driver.Availability.unavailable(reason), List.of());
  }

  /** Describes what a driver threw, even if the throwable's own methods throw. */
  private static String reason(Throwable thrown) {
    try {
      return thrown instanceof HalException e ? e.getMessage() : oneLine(thrown);
    } catch (Throwable t) {
      return thrown.getClass().getName();
    }
  }

  /**
   * Returns the whole chain of causes on one line, so that a user can see why a driver is broken.
   */
  static String oneLine(Throwable thrown) {
    StringBuilder text = new StringBuilder(String.valueOf(thrown));
    int causes = 0;
    for (Throwable cause = thrown.getCause();
        cause != null && causes < MAX_CAUSES;
        cause = cause.getCause()) {
      text.append(", caused by ").append(cause);
      causes++;
    }
    return text.toString().replaceAll("\\s+", " ");
  }
}
