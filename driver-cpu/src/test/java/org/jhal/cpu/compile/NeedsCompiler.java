// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIf;

/** Skips tests that compile C++, or the driver's runtime, on machines without a compiler. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIf(
    value = "org.jhal.cpu.compile.NeedsCompiler$Search#succeeds",
    disabledReason = NeedsCompiler.REASON)
public @interface NeedsCompiler {
  /** Why tests are skipped. */
  String REASON = "no C++ compiler (c++, g++ or clang++) is on the PATH";

  /** Looks for a compiler. */
  final class Search {
    private Search() {}

    /** Whether there is one. */
    static boolean succeeds() {
      return HostCompiler.find().isPresent();
    }
  }
}
