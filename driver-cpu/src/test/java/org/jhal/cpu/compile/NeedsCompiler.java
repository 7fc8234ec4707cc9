// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips tests that compile C++, or the driver's runtime, on machines without a compiler. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsCompiler.Condition.class)
public @interface NeedsCompiler {
  /** Looks for a compiler. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return HostCompiler.find().isPresent()
          ? ConditionEvaluationResult.enabled("there is a C++ compiler")
          : ConditionEvaluationResult.disabled(HostCompiler.absence());
    }
  }
}
