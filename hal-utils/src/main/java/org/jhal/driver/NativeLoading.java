// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.io.IOException;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Says why native code cannot be loaded, as the reason is often hidden in the causes of an error.
 *
 * <p>Any thread may use it.
 */
public final class NativeLoading {
  private static final String REFUSED = "llegal native access"; // as the JVM says it

  /** Why a class could not be initialized. The JVM gives this once, and not at later attempts. */
  private static volatile @Nullable String first;

  private NativeLoading() {}

  /**
   * The message of the innermost cause, and how to allow native access if that was refused.
   *
   * @param modules the names of the modules that need native access, with commas between them
   */
  public static String reason(Throwable thrown, String modules) {
    String known = first;
    if (known != null && isRepeated(thrown)) {
      return known;
    }
    String reason = innermost(thrown, modules);
    if (thrown instanceof ExceptionInInitializerError) {
      first = reason;
    }
    return reason;
  }

  /** Whether a class was used again whose initialization had failed; another may be missing. */
  private static boolean isRepeated(Throwable thrown) {
    return thrown instanceof NoClassDefFoundError
        && String.valueOf(thrown.getMessage()).startsWith("Could not initialize class");
  }

  private static String innermost(Throwable thrown, String modules) {
    Throwable innermost = thrown;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String message = innermost.getMessage();
    String reason =
        message == null || message.isBlank() || innermost instanceof IOException
            ? HostFailures.reason(innermost)
            : message;
    return reason.contains(REFUSED)
        ? reason
            + "; start Java with --enable-native-access=ALL-UNNAMED, or on the module path with"
            + " --enable-native-access="
            + modules
        : reason;
  }
}
