// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee.MethodBuilder;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jhal.HalException;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.concurrent.PairingHeap;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * Lets Lincheck's model checker run scenarios in many interleavings, with thread switches between
 * accesses to shared memory. It starts with few switches, and never repeats an interleaving.
 *
 * <p>A scenario is a line such as {@code "a b -> c | d e"}: first the calls {@code a} and {@code
 * b}, then two threads, one of which calls {@code c} while the other calls {@code d} and then
 * {@code e}. A call is the name of a public method of the subject without parameters. Each
 * interleaving gets a new instance of the subject. After each, the subject's method {@code check}
 * is called, and the subject is rejected if that throws.
 */
public final class Interleavings {
  /** Of each scenario. All subjects that are wrong on purpose are rejected in so many. */
  public static final int SOME = 40;

  private static final int FEW = 10;

  private static final String TIMELINE = "org.jhal.engine.timeline.";

  private final Class<?> subject;
  private final ModelCheckingOptions options =
      new ModelCheckingOptions()
          .iterations(0) // no scenarios of Lincheck's own
          .minimizeFailedScenario(false)
          .addGuarantee(forClasses(QueueHarness.class.getName()).methods("finish").ignore())
          // Lincheck's clock stands still.
          .addGuarantee(forClasses(PollingPace.class.getName()).methods("spin", "nap").ignore())
          // To Lincheck, the JDK's copying of a stack trace looks like an endless loop.
          .addGuarantee(forClasses(HalException.class.getName()).methods("again").ignore())
          .addGuarantee(forClasses(System.Logger.class.getName()).allMethods().ignore());

  /**
   * Allows no thread switch within calls of these methods, where it would make no difference: the
   * method is confined to a thread, runs with a lock held, or accesses shared memory once. It must
   * not use a monitor, since that would not be the one that Lincheck tracks.
   */
  private void keepWhole(Class<?> type, String... methods) {
    keepWhole(type.getName(), methods);
  }

  private void keepWhole(String type, String... methods) {
    MethodBuilder builder = forClasses(type);
    options.addGuarantee(
        (methods.length == 0 ? builder.allMethods() : builder.methods(methods)).treatAsAtomic());
  }

  /**
   * Interleavings of calls on {@code subject}.
   *
   * @param model has the same methods and is used by one thread at a time: the results of the calls
   *     must be those of some order of them; null if results do not matter
   */
  public Interleavings(Class<?> subject, @Nullable Class<?> model) {
    this.subject = subject;
    if (model == null) {
      options.verifier(EpsilonVerifier.class);
    } else {
      options.sequentialSpecification(model);
    }
    keepWhole(PairingHeap.class);
    keepWhole(TIMELINE + "SemaphoreLane");
    keepWhole(Gate.class, "tryEnter");
    keepWhole(Cascade.class, "current", "addReleased", "addReady");
    keepWhole(EngineSemaphore.class, "advanceLocked", "releaseLocked", "laneLocked");
    keepWhole(EngineSemaphore.class, "coveringLocked", "isAwaitedLocked");
    keepWhole(Wish.class);
    keepWhole(IssueLine.class, "nextLocked");
    keepWhole(OpenList.class, "linkBefore", "unlink");
    keepWhole(OperationChain.class);
    keepWhole(Operation.class, "capture", "countDown", "weight");
    keepWhole(Operation.class, "mayBlock");
    keepWhole(OperationWait.class, "producer", "semaphore", "value");
    keepWhole(Operation.class, "waits", "signalCount", "signal", "signalValue");
    keepWhole(
        QueueUse.TestWork.class,
        "use",
        "weight",
        "mayBlock",
        "hostCompletion",
        "signalsAfterHostCompletion",
        "endsWithHostCompletion",
        "retire");
  }

  /** Runs each third scenario in a few interleavings, as every build does. */
  public void sample(List<String> scenarios) {
    List<String> some = new ArrayList<>();
    for (int i = 0; i < scenarios.size(); i += 3) {
      some.add(scenarios.get(i));
    }
    check(FEW, some);
  }

  /** Runs each of {@code scenarios} in at most {@code count} interleavings. */
  public void check(int count, List<String> scenarios) {
    options.invocationsPerIteration(count);
    scenarios.forEach(line -> options.addCustomScenario(scenario(line)));
    // The JDK's code for printing a line is too long for Lincheck to explore.
    Logger logger = Logger.getLogger("org.jhal");
    Level level = logger.getLevel();
    logger.setLevel(Level.OFF);
    try {
      options.check(subject);
    } finally {
      logger.setLevel(level);
    }
  }

  /**
   * Runs a scenario {@link #SOME} times, on a subject with a bug, which Lincheck must find.
   *
   * @return Lincheck's report
   */
  public String rejects(String scenario) {
    try {
      check(SOME, List.of(scenario));
    } catch (LincheckAssertionError e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError(SOME + " interleavings of " + scenario + " found nothing wrong");
  }

  private ExecutionScenario scenario(String line) {
    String[] halves = line.split("->", -1);
    List<List<Actor>> threads = new ArrayList<>();
    for (String thread : halves[1].split("\\|", -1)) {
      threads.add(calls(thread));
    }
    return new ExecutionScenario(calls(halves[0]), threads, List.of(), null);
  }

  private List<Actor> calls(String names) {
    return Arrays.stream(names.split(" ", -1))
        .filter(name -> !name.isEmpty())
        .map(this::call)
        .toList();
  }

  private Actor call(String name) {
    try {
      Method method = subject.getMethod(name);
      return new Actor(method, List.of());
    } catch (NoSuchMethodException e) {
      throw new AssertionError("a scenario calls a method that does not exist", e);
    }
  }
}
