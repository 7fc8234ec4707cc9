// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Says why native code cannot be loaded, as the reason is often hidden in the causes of an error.
 *
 * <p>Any thread may use it.
 */
public final class NativeLoading {
  private static final String REFUSED = "llegal native access"; // as the JVM says it

  /** What the loader of Linux says about a file that it may not execute: 1 is the file. */
  private static final Pattern NOT_EXECUTED =
      Pattern.compile("(/[^:\\n]*): failed to map segment from shared object");

  /** The first line of JNA, whose further ones are the loader's reasons, and where it looked. */
  private static final Pattern OF_JNA = Pattern.compile("Unable to load library '.*':\\s*(\\S.*)");

  /** The files to which JNA unpacks its own library. */
  private static final Pattern FILE_OF_JNA = Pattern.compile("jna-?\\d+\\.tmp");

  /** Why a class could not be initialized. The JVM gives this once, and not at later attempts. */
  private static volatile @Nullable String first;

  private NativeLoading() {}

  /**
   * The message of the innermost cause, and how to allow native access if that was refused. As
   * {@link #withRemedy}.
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
    if (reason.contains(REFUSED)) {
      return reason
          + "; start Java with --enable-native-access=ALL-UNNAMED, or on the module path with"
          + " --enable-native-access="
          + modules;
    }
    Matcher ofJna = OF_JNA.matcher(reason);
    return withRemedy(ofJna.lookingAt() ? ofJna.group(1) : reason);
  }

  /**
   * A message of the system's loader, and which property helps if it is about a file that was
   * unpacked to a folder from which nothing may be executed.
   */
  public static String withRemedy(String message) {
    return withRemedy(message, NativeFolder.mounts());
  }

  static String withRemedy(String message, List<String> mounts) {
    Matcher file = NOT_EXECUTED.matcher(message);
    if (!file.find()) {
      return message;
    }
    Path path = Path.of(file.group(1));
    Path folder = Objects.requireNonNullElse(path.getParent(), path);
    boolean isOfJna = FILE_OF_JNA.matcher(String.valueOf(path.getFileName())).matches();
    String property = isOfJna ? "jna.tmpdir" : "java.io.tmpdir";
    String obstacle = NativeFolder.obstacle(folder, property, mounts);
    return obstacle.isEmpty() ? message : message + "; " + obstacle;
  }
}
