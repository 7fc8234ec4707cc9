// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.journal;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;

/** Finds the module that writes recordings, which may be missing. */
public final class JournalModule {
  private static final String JAR = "hal-recording";

  private static final Lazy<Journals> FOUND = Lazy.keepingFailure();

  private JournalModule() {}

  /**
   * What the module provides. It is looked for once, beside the engine.
   *
   * @throws HalException UNAVAILABLE if its jar is missing or cannot be loaded
   */
  public static Journals require() {
    return FOUND.get(() -> find(JournalModule.class.getClassLoader()));
  }

  static Journals find(ClassLoader loader) {
    try {
      return ServiceLoader.load(Journals.class, loader)
          .findFirst()
          .orElseThrow(
              () ->
                  new HalException(
                      Status.UNAVAILABLE,
                      ("the jar %s, which the option record needs, is missing: add org.jhal:%s to"
                              + " the class path or the module path")
                          .formatted(JAR, JAR)));
    } catch (ServiceConfigurationError | LinkageError e) {
      if (e.getCause() instanceof VirtualMachineError lack) { // a ServiceLoader wraps any throwable
        throw lack;
      }
      throw new HalException(
          Status.UNAVAILABLE,
          "the jar " + JAR + ", which the option record needs, cannot be loaded: " + e,
          e);
    }
  }
}
