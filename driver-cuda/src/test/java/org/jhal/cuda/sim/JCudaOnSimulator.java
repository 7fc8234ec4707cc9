// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jcuda.driver.JCudaDriver;

/** Loads JCuda in this process so that it finds the simulated driver library. */
final class JCudaOnSimulator {
  private static boolean loaded;

  private JCudaOnSimulator() {}

  static synchronized void load() {
    if (loaded) {
      return;
    }
    // JCuda's own library needs libcuda.so.1, and uses one that is already loaded.
    System.load(SimulatedCuda.library().path().toString());
    // It is unpacked to a fixed name, which other processes may be writing at the same time.
    String folder = System.getProperty("java.io.tmpdir");
    try {
      Path own = Files.createTempDirectory("jcuda");
      System.setProperty("java.io.tmpdir", own.toString());
      JCudaDriver.setLogLevel(jcuda.LogLevel.LOG_QUIET);
      try (var files = Files.list(own)) {
        // It is mapped by now; a file is not needed any more.
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(own);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      System.setProperty("java.io.tmpdir", folder);
    }
    loaded = true;
  }
}
