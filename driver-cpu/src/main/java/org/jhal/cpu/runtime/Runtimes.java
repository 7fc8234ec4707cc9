// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeFolder;
import org.jhal.driver.NativeLoading;
import org.jhal.driver.support.LastingThreads;
import org.jhal.spi.HostFailures;

/** Loads the native runtime once. */
public final class Runtimes {
  private static final String TEMPORARY = "java.io.tmpdir";
  private static final String TEMPORARY_OF_JNA = "jna.tmpdir";

  private static boolean isLoaded;

  private Runtimes() {}

  /**
   * Why it cannot be loaded, and what helps; empty if it is loaded, or nothing is known to be in
   * the way. Looks at the folders to which it and JNA are unpacked, and loads nothing.
   */
  public static synchronized String obstacle() {
    if (isLoaded) {
      return "";
    }
    String own = NativeFolder.obstacle(Path.of(System.getProperty(TEMPORARY, "/tmp")), TEMPORARY);
    String folderOfJna = System.getProperty(TEMPORARY_OF_JNA);
    return own.isEmpty() && folderOfJna != null
        ? NativeFolder.obstacle(Path.of(folderOfJna), TEMPORARY_OF_JNA)
        : own;
  }

  /**
   * Loads it, unless that was done before.
   *
   * @param code returns the library
   * @throws HalException FAILED_PRECONDITION if it cannot be loaded; RESOURCE_EXHAUSTED or
   *     PERMISSION_DENIED if its file cannot be written
   */
  public static synchronized void load(Supplier<byte[]> code) {
    if (isLoaded) {
      return;
    }
    Path file = null;
    try {
      file = Files.createTempFile("jhal-cpu", ".so");
      Files.write(file, code.get());
      String library = file.toString();
      isLoaded = LastingThreads.start(() -> HalRuntime.load(library));
    } catch (IOException | LinkageError e) { // the latter also if JNA itself cannot be loaded
      Status known = HostFailures.status(e);
      throw new HalException(
          known == null ? Status.FAILED_PRECONDITION : known,
          "cannot load the runtime of the CPU device: " + NativeLoading.reason(e, "com.sun.jna"),
          e);
    } finally {
      if (file != null) {
        file.toFile().delete();
      }
    }
  }
}
