// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A folder to which native code is unpacked before it is loaded.
 *
 * <p>Any thread may use it.
 */
public final class NativeFolder {
  /** Each line is: id, parent, device, root, where it is mounted, options, and more. */
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  private static final int PLACE = 4;
  private static final int OPTIONS = 5;

  private NativeFolder() {}

  /**
   * Why native code in a folder cannot be loaded, and what helps. Empty if nothing is known to
   * forbid it, as on systems other than Linux. Looks at no file in the folder, and makes none.
   *
   * @param folder may be missing
   * @param property the system property that names another folder, for the message
   */
  public static String obstacle(Path folder, String property) {
    return obstacle(folder, property, mounts());
  }

  static String obstacle(Path folder, String property, List<String> mounts) {
    try {
      return isMountedNoexec(existing(folder).toRealPath(), mounts)
          ? ("the file system of " + folder + " is mounted with noexec, so native code that is")
              + (" unpacked there cannot be loaded; -D" + property + "=FOLDER names another folder")
          : "";
    } catch (IOException e) {
      return "";
    }
  }

  /** The lines about what is mounted; none if they cannot be read. */
  static List<String> mounts() {
    try {
      return Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static Path existing(Path folder) {
    Path next = folder.toAbsolutePath().normalize();
    Path parent = next.getParent();
    while (parent != null && !Files.exists(next)) {
      next = parent;
      parent = next.getParent();
    }
    return next;
  }

  /**
   * Whether a folder is on a file system whose files may not be executed.
   *
   * @param mounts as in {@code /proc/self/mountinfo}; a later one covers earlier ones
   */
  static boolean isMountedNoexec(Path folder, List<String> mounts) {
    boolean isNoexec = false;
    int longest = -1;
    for (String mount : mounts) {
      String[] fields = mount.split(" ");
      if (fields.length <= OPTIONS) {
        continue;
      }
      Path place = Path.of(unescaped(fields[PLACE]));
      if (folder.startsWith(place) && place.getNameCount() >= longest) {
        longest = place.getNameCount();
        isNoexec = List.of(fields[OPTIONS].split(",")).contains("noexec");
      }
    }
    return isNoexec;
  }

  /** Spaces and backslashes are octal numbers. */
  private static String unescaped(String place) {
    return place.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }
}
