// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.journal;

import org.jhal.HalException;
import org.jhal.engine.module.OptionalModule;

/** Finds the module that writes recordings, which may be missing. */
public final class JournalModule {
  private static final OptionalModule<Journals> MODULE =
      new OptionalModule<>(Journals.class, "hal-recording", "the option record needs");

  private JournalModule() {}

  /**
   * What the module provides. It is looked for once, beside the engine.
   *
   * @throws HalException UNAVAILABLE if its jar is missing or cannot be loaded
   */
  public static Journals require() {
    return MODULE.require();
  }

  static Journals find(ClassLoader loader) {
    return MODULE.find(loader);
  }
}
