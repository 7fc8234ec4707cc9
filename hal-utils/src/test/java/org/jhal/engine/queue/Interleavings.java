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
import org.jspecify.annotations.Nullable;

/**
 * Lets Lincheck's model checker run scenarios in many interleavings, which it makes up of thread
 * switches between accesses to shared memory. It starts with few switches and never repeats an
 * interleaving.
 *
 * <p>A scenario is a line like {@code "a b -> c | d e"}: the calls {@code a} and {@code b}, then
 * two threads, one of which calls {@code c} while the other calls {@code d} and then {@code e}. A
 * call is the name of a public method without parameters of the subject, of which each interleaving
 * gets a new instance. After each, the subject's method {@code check} is called; what it throws
 * rejects the subject.
 */
final class Interleavings {
  /**
   * Of each scenario in every build. All subjects that are wrong on purpose are rejected within 20.
   */
  static final int SOME = 30;

  private final Class<?> subject;
  private final ModelCheckingOptions options =
      new ModelCheckingOptions()
          .iterations(0) // of scenarios that Lincheck makes up
          .minimizeFailedScenario(false)
          .addGuarantee(forClasses(QueueHarness.class.getName()).methods("finish").ignore())
          // Lincheck's clock stands still.
          .addGuarantee(forClasses(PollingPace.class.getName()).methods("spin", "nap").ignore())
          // What the JDK does to copy a stack trace looks to Lincheck like a loop without an end.
          .addGuarantee(forClasses(HalException.class.getName()).methods("again").ignore())
          .addGuarantee(forClasses(System.Logger.class.getName()).allMethods().ignore());

  /**
   * Switches no thread within calls of a method, where that makes no difference: it belongs to a
   * thread, runs with a lock held, or accesses shared memory once. It must not use a monitor, which
   * would then not be the one that Lincheck knows.
   */
  private void keepWhole(Class<?> type, String... methods) {
    MethodBuilder builder = forClasses(type.getName());
    options.addGuarantee(
        (methods.length == 0 ? builder.allMethods() : builder.methods(methods)).treatAsAtomic());
  }

  /**
   * Interleavings of calls on {@code subject}.
   *
   * @param model has the same methods and is used by one thread at a time: the results of the calls
   *     must be those of some order of them; null if results do not matter
   */
  Interleavings(Class<?> subject, @Nullable Class<?> model) {
    this.subject = subject;
    if (model == null) {
      options.verifier(EpsilonVerifier.class);
    } else {
      options.sequentialSpecification(model);
    }
    keepWhole(PairingHeap.class);
    keepWhole(SemaphoreLane.class);
    keepWhole(Settling.Stack.class);
    keepWhole(Gate.class, "tryEnter");
    keepWhole(Cascade.class, "current", "addReleased", "addDropped", "addReady");
    keepWhole(EngineSemaphore.class, "advanceLocked", "releaseLocked", "laneLocked");
    keepWhole(QueueLists.class, "openLocked", "nextLocked");
    keepWhole(Operation.class, "begin", "capture", "retain", "addOpenWait", "countDown", "weight");
    keepWhole(Operation.class, "mayBlock");
    keepWhole(Operation.class, "waitCount", "wait", "signalCount", "signal", "signalValue");
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

  /** Runs each of {@code scenarios} in at most {@code count} interleavings. */
  void check(int count, List<String> scenarios) {
    options.invocationsPerIteration(count);
    scenarios.forEach(line -> options.addCustomScenario(scenario(line)));
    // What the JDK does to print a line is too much for Lincheck to follow.
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
   * Runs {@code scenario} as often as every build does, of a subject that is wrong.
   *
   * @return what Lincheck says about it
   */
  String rejects(String scenario) {
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
      throw new AssertionError("a scenario calls what is not there", e);
    }
  }
}
