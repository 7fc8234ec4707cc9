// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of {@code hal cache}; CacheToolTest has what it does. */
class CacheCommandTest {
  @Test
  void showsVerifiesAndEmptiesTheFolder(@TempDir Path temporary) throws IOException {
    assumeTrue(System.getProperty("os.name", "").equals("Linux"), "kernels are kept on Linux only");
    Path folder = temporary.resolve("jhal");
    String name = folder.toString();
    KernelCache.in(folder).keep(KernelKey.of(List.of("a")), "a.cpp", new byte[5000]);
    for (String[] show :
        new String[][] {
          {"cache", "--folder", name},
          {"cache", "show", "--folder=" + name},
          {"cache", "--folder", name, "show"}
        }) {
      String out = hal(show).succeeded().out();
      assertTrue(out.endsWith("1 entry, 5 KiB, in " + name + System.lineSeparator()), out);
    }
    String sound = hal("cache", "verify", "--folder", name).succeeded().out();
    assertEquals("1 entry in " + name + ", all of them sound", sound.strip());
    try (Stream<Path> files = Files.list(folder)) {
      Files.write(files.toList().get(0), new byte[10]);
    }
    assertEquals(1, hal("cache", "--folder", name, "verify").exitCode());
    String emptied = hal("cache", "empty", "--folder", name).succeeded().out();
    assertEquals("removed 1 entry from " + name, emptied.strip());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }

  @Test
  void reportsWrongUsage() {
    hal("cache", "clean").failed(2, "unexpected argument 'clean' (see hal cache --help)");
    hal("cache", "emtpy").failed(2, "unexpected argument 'emtpy', did you mean 'empty'?");
    hal("cache", "show", "empty").failed(2, "unexpected argument 'empty'");
    hal("cache", "--folder").failed(2, "'--folder'");
    hal("cache", "--folder", "").failed(2, "'--folder'", "'' names no file or folder");
    hal("cache", "empty", "--folder", "\0").failed(2, "'--folder'", "no path: ");
    hal("cache", "--flder", "x").failed(2, "'--flder', did you mean '--folder'?");
  }

  @Test
  void emptiesNoneOfSeveralFolders(@TempDir Path temporary) throws IOException {
    Path folder = Files.createDirectory(temporary.resolve("jhal"));
    System.setProperty("jhal.cache-test.cache", folder.toString());
    try {
      Outcome outcome = hal("cache", "empty");
      outcome.failed(2, "INVALID_ARGUMENT: there are several folders", "--folder", folder + " (");
      assertTrue(outcome.err().strip().endsWith("(see hal cache --help)"), outcome::toString);
    } finally {
      System.clearProperty("jhal.cache-test.cache");
    }
    assertFalse(hal("cache", "verify", "--help").succeeded().out().isEmpty());
  }
}
