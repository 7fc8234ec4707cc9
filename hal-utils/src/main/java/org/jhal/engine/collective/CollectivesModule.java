// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.collective;

import org.jhal.HalException;
import org.jhal.engine.module.OptionalModule;

/** Finds the module that carries out collectives, which may be missing. */
public final class CollectivesModule {
  private static final OptionalModule<Collectives> MODULE =
      new OptionalModule<>(Collectives.class, "hal-collectives", "groups of devices need");

  private CollectivesModule() {}

  /**
   * What the module provides. It is looked for once, beside the engine.
   *
   * @throws HalException UNAVAILABLE if its jar is missing or cannot be loaded
   */
  public static Collectives require() {
    return MODULE.require();
  }

  static Collectives find(ClassLoader loader) {
    return MODULE.find(loader);
  }

  /** The failure for a provider that cannot be loaded; a lack of stack or memory passes. */
  static HalException unusable(Error e) {
    return MODULE.unusable(e);
  }
}
