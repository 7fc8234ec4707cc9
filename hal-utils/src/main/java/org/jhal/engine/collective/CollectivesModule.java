// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.collective;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;

/** Finds the module that carries out collectives, which may be missing. */
public final class CollectivesModule {
  private static final String JAR = "hal-collectives";

  private static final Lazy<Collectives> FOUND = Lazy.keepingFailure();

  private CollectivesModule() {}

  /**
   * What the module provides. It is looked for once, beside the engine.
   *
   * @throws HalException UNAVAILABLE if its jar is missing or cannot be loaded
   */
  public static Collectives require() {
    return FOUND.get(() -> find(CollectivesModule.class.getClassLoader()));
  }

  static Collectives find(ClassLoader loader) {
    try {
      return ServiceLoader.load(Collectives.class, loader)
          .findFirst()
          .orElseThrow(() -> new HalException(Status.UNAVAILABLE, absence()));
    } catch (ServiceConfigurationError | LinkageError e) {
      throw unusable(e);
    }
  }

  /** The failure for a provider that cannot be loaded; a lack of stack or memory passes. */
  static HalException unusable(Error e) {
    if (e.getCause() instanceof VirtualMachineError lack) { // a ServiceLoader wraps any throwable
      throw lack;
    }
    return new HalException(
        Status.UNAVAILABLE,
        "the jar " + JAR + ", which groups of devices need, cannot be loaded: " + e,
        e);
  }

  private static String absence() {
    return "the jar "
        + JAR
        + ", which groups of devices need, is missing: add org.jhal:"
        + JAR
        + " to the class path or the module path";
  }
}
