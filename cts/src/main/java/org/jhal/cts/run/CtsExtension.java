// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.plan.CtsPlan;
import org.jhal.cts.run.plan.SkipReasons;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Peers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Implements {@link CtsSuite} around each test. */
final class CtsExtension
    implements ExecutionCondition,
        BeforeEachCallback,
        ParameterResolver,
        InvocationInterceptor,
        AfterEachCallback {
  /** The start of the message of a test that is skipped because it does not pass yet. */
  static final String EXPECTED_FAILURE = "expected failure: ";

  /** The message of tests that are skipped after the end of the run. */
  static final String NOT_RUN = "the run is over";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(CtsExtension.class);

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (context.getConfigurationParameter(CtsPlan.PARAMETER).isPresent()) {
      return CtsPlan.hasInvocations(context)
          ? ConditionEvaluationResult.enabled("")
          : ConditionEvaluationResult.disabled(NOT_RUN);
    }
    CtsSession session = CtsSession.of(context);
    if (session.isOver()) {
      return ConditionEvaluationResult.disabled(NOT_RUN);
    }
    if (session.unavailable().isPresent()) {
      return ConditionEvaluationResult.disabled(
          Cts.UNSUPPORTED + "not on this machine: " + session.unavailable().get());
    }
    if (context.getTestMethod().isEmpty()) {
      return ConditionEvaluationResult.enabled("");
    }
    TestName test = TestName.of(context);
    for (CtsBackend.Unsupported one : session.backend().unsupported()) {
      if (one.test().equals(test.toString())) {
        return ConditionEvaluationResult.disabled(
            Cts.UNSUPPORTED + SkipReasons.BY_DRIVER + one.reason());
      }
    }
    String missing = missing(session, context);
    if (missing != null) {
      return ConditionEvaluationResult.disabled(Cts.UNSUPPORTED + missing);
    }
    CtsBackend.ExpectedFailure expected = expectedFailure(session, test);
    if (expected != null && !session.verifiesExpectedFailures()) {
      return ConditionEvaluationResult.disabled(
          EXPECTED_FAILURE + expected.reason() + "; to fix it: " + expected.fix());
    }
    return ConditionEvaluationResult.enabled("");
  }

  private static CtsBackend.@Nullable ExpectedFailure expectedFailure(
      CtsSession session, TestName test) {
    for (CtsBackend.ExpectedFailure one : session.backend().expectedFailures()) {
      if (one.test().equals(test.toString())) {
        return one;
      }
    }
    return null;
  }

  /** The first need of a test that is not met, or null. */
  private static @Nullable String missing(CtsSession session, ExtensionContext context) {
    List<Needs> all =
        SkipReasons.needs(context.getRequiredTestClass(), context.getRequiredTestMethod());
    for (Needs needs : all) {
      for (Need need : needs.value()) {
        if (!offers(session, need)) {
          return need.absence();
        }
      }
      Set<Capability> offered = underTest(session).device().capabilities();
      for (Capability capability : needs.capabilities()) {
        if (!offered.contains(capability)) {
          return SkipReasons.absence(capability);
        }
      }
    }
    return null;
  }

  private static boolean offers(CtsSession session, Need need) {
    return switch (need) {
      case CONTROLS -> underTest(session).controls() != null;
      case TWO_QUEUES -> underTest(session).device().queueCount() > 1;
      case THREE_QUEUES, KERNEL_FAILURES, FOREIGN_MEMORY ->
          FactCollector.isDeclaredPresent(need, underTest(session).device(), session.backend());
      case SECOND_DEVICE -> session.shared(CtsSession.Role.SECOND).isPresent();
      case OTHER_DRIVER -> session.shared(CtsSession.Role.OTHER).isPresent();
      case SHARED_EVENTS ->
          session.backend().sharesEvents()
              && !"none".equals(Peers.of(underTest(session).device()))
              && session.shared(CtsSession.Role.SECOND).isPresent();
      case PEER_MEMORY ->
          session
              .shared(CtsSession.Role.SECOND)
              .map(OpenedDevice::device)
              .filter(second -> canAccessEachOther(underTest(session).device(), second))
              .isPresent();
    };
  }

  private static boolean canAccessEachOther(Device one, Device two) {
    return one.canAccess(two) && two.canAccess(one);
  }

  private static OpenedDevice underTest(CtsSession session) {
    return session.shared(CtsSession.Role.UNDER_TEST).orElseThrow();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    CtsSession session = CtsSession.of(context);
    LogCapture logs = new LogCapture();
    String[] fresh =
        AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), FreshDevice.class)
            .or(
                () ->
                    AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), FreshDevice.class))
            .map(FreshDevice::value)
            .orElse(null);
    String invocation = TestName.of(context) + " " + context.getDisplayName();
    CtsContext cts = new CtsContext(session, logs, invocation, fresh);
    context.getStore(NAMESPACE).put(CtsContext.class, cts);
    context.getStore(NAMESPACE).put(LogCapture.class, logs);
    logs.start();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    context.getStore(NAMESPACE).get(LogCapture.class, LogCapture.class).stop();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Cts.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context.getStore(NAMESPACE).get(CtsContext.class, CtsContext.class);
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    run(invocation, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    run(invocation, context);
  }

  private static void run(Invocation<@Nullable Void> invocation, ExtensionContext context)
      throws Throwable {
    CtsSession session = CtsSession.of(context);
    TestName test = TestName.of(context);
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    CtsContext cts = store.get(CtsContext.class, CtsContext.class);
    LogCapture logs = store.get(LogCapture.class, LogCapture.class);
    Duration deadline =
        AnnotationSupport.findAnnotation(context.getRequiredTestClass(), CtsSuite.class)
            .map(suite -> Duration.ofSeconds(suite.deadlineSeconds()))
            .orElseThrow();
    Throwable failure;
    if (context.getRequiredTestMethod().isAnnotationPresent(GivesUp.class)
        && !session.backend().survivesKernels()
        && !OwnProcess.isIt()) {
      invocation.skip();
      failure = OwnProcess.run(session, test, context.getDisplayName(), deadline);
    } else {
      OwnProcess.checkAskedFor(context.getDisplayName());
      failure = new CtsExecution(session, cts, logs, test, deadline).run(invocation::proceed);
    }
    String display = test.display(context.getUniqueId(), context.getDisplayName());
    failure =
        SkipReasons.check(
            context.getRequiredTestClass(), test, display, failure, OwnProcess.isIt());
    CtsBackend.ExpectedFailure expected = expectedFailure(session, test);
    if (expected != null && !(failure instanceof TestAbortedException)) {
      if (failure != null) {
        throw new TestAbortedException(EXPECTED_FAILURE + expected.reason(), failure);
      }
      failure =
          new AssertionFailedError(
              "unexpected pass: remove it from expectedFailures(), where its reason is: "
                  + expected.reason());
    }
    if (failure != null) {
      if (!(failure instanceof TestAbortedException)) {
        String rules = rules(context.getRequiredTestMethod());
        if (!rules.isEmpty()) {
          failure.addSuppressed(new Note("rules: " + rules));
        }
        List<String> injected = cts.injected();
        if (!injected.isEmpty()) {
          failure.addSuppressed(new Note("injected: " + String.join("; ", injected)));
        }
        failure.addSuppressed(
            new Note("to repeat: " + RepeatCommand.of(test, session, cts.isSeedUsed())));
      }
      throw failure;
    }
  }

  /** The rules that a test checks, by number and name. */
  private static String rules(Method test) {
    Map<String, String> contract = CtsCatalog.contract();
    return CtsCatalog.rules(test).stream()
        .map(rule -> rule + " (" + contract.getOrDefault(rule, "not in the contract") + ")")
        .collect(Collectors.joining(", "));
  }

  /** Not a failure, but a line at the end of a failure's stack trace. */
  private static final class Note extends Throwable {
    private static final long serialVersionUID = 1L;

    Note(String line) {
      super(line, null, false, false);
    }

    @Override
    public String toString() {
      return String.valueOf(getMessage());
    }
  }
}
