// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.module;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jspecify.annotations.Nullable;

/**
 * Finds a module that provides a service to the engine, and which may be missing.
 *
 * <p>Thread-safe.
 *
 * @param <S> the service
 */
public final class OptionalModule<S> {
  private final Class<S> service;
  private final String jar;
  private final String use;
  private final Lazy<S> found = Lazy.keepingFailure();

  /**
   * For a service that {@code org.jhal.utils} uses.
   *
   * @param use who needs the jar, for messages, such as "the option record needs"
   */
  public OptionalModule(Class<S> service, String jar, String use) {
    this.service = service;
    this.jar = jar;
    this.use = use;
  }

  /**
   * What the module provides. It is looked for once, beside the engine.
   *
   * @throws HalException UNAVAILABLE if its jar is missing or cannot be loaded
   */
  public S require() {
    return found.get(() -> find(OptionalModule.class.getClassLoader()));
  }

  /** Looks for it among what a class loader finds. */
  public S find(ClassLoader loader) {
    try {
      return ServiceLoader.load(service, loader)
          .findFirst()
          .orElseThrow(
              () ->
                  failure(
                      "is missing: add org.jhal:" + jar + " to the class path or the module path",
                      null));
    } catch (ServiceConfigurationError | LinkageError e) {
      throw unusable(e);
    }
  }

  /** The failure for a provider that cannot be loaded; a lack of stack or memory passes. */
  public HalException unusable(Error e) {
    if (e.getCause() instanceof VirtualMachineError lack) { // a ServiceLoader wraps any throwable
      throw lack;
    }
    return failure("cannot be loaded: " + e, e);
  }

  private HalException failure(String what, @Nullable Error cause) {
    return new HalException(
        Status.UNAVAILABLE, "the jar " + jar + ", which " + use + ", " + what, cause);
  }
}
