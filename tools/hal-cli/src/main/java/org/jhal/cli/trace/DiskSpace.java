// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cli.data.DataFiles;
import org.jspecify.annotations.Nullable;

/**
 * How large a recording may become. The recorder of the JDK writes it to the folder for temporary
 * files, and ends the JVM if that is full.
 */
public final class DiskSpace {
  /** The smallest limit that the recorder can keep: it writes and removes pieces of 12 MB. */
  static final long LEAST = 32L << 20;

  /** The limit if there is enough space. */
  static final long USUAL = 1L << 30;

  /** The recording is on the disk twice while it is copied out of the recorder's own files. */
  private static final int COPIES = 2;

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([kmgt]?)");

  private DiskSpace() {}

  /**
   * The largest size of a recording.
   *
   * @param asked by the user, such as {@code 200m}, or null
   * @throws IllegalArgumentException if that is no size, or too small
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough space
   */
  public static long forRecording(@Nullable String asked) {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      return forRecording(asked, Files.getFileStore(folder).getUsableSpace(), folder);
    } catch (IOException e) {
      throw DataFiles.failure("cannot make temporary files in '" + folder + "'", e);
    }
  }

  static long forRecording(@Nullable String asked, long usable, Path folder) {
    long most = asked == null ? Math.min(USUAL, usable / (2 * COPIES)) : parse(asked);
    if (asked != null && most < LEAST) {
      throw new IllegalArgumentException(
          "a recording of at most " + asked + "; the smallest limit is " + megabytes(LEAST));
    }
    long wanted = Math.max(most, LEAST);
    if (wanted > usable / COPIES) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "the folder for temporary files, '"
              + folder
              + "', has "
              + megabytes(usable)
              + " left; a recording of at most "
              + megabytes(wanted)
              + " needs twice that. Limit it by --max-size, or name another folder by"
              + " -Djava.io.tmpdir");
    }
    return wanted;
  }

  private static long parse(String size) {
    Matcher parts = SIZE.matcher(size.toLowerCase(Locale.ROOT));
    if (parts.matches()) {
      int power = parts.group(2).isEmpty() ? 0 : "kmgt".indexOf(parts.group(2)) + 1;
      try {
        return Math.multiplyExact(Long.parseLong(parts.group(1)), 1L << (10 * power));
      } catch (ArithmeticException e) {
        return Long.MAX_VALUE; // more than any disk has
      }
    }
    throw new IllegalArgumentException(
        "'" + size + "' is not a size, which is a number of bytes, or one with k, m, g or t");
  }

  private static String megabytes(long bytes) {
    return (bytes >> 20) + " MB";
  }
}
