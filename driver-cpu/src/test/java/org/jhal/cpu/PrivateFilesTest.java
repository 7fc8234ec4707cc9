// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.cpu.faults.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who can write to the files that the driver runs or compiles, as {@code SECURITY.md} promises: the
 * user alone, also in a process whose umask allows everything.
 */
@NeedsCompiler
@Timeout(300)
class PrivateFilesTest {
  @TempDir private Path folder;

  private static String mode(Path file) throws Exception {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
  }

  /** A compiler that notes the mode of the folder in which it is called. */
  private Path spy(Path log) throws Exception {
    String compiler = HostCompiler.find().orElseThrow().toString();
    String script = "#!/bin/sh\nls -ld . >>'%s'\nexec '%s' \"$@\"\n".formatted(log, compiler);
    Path spy = Files.writeString(folder.resolve("spy++"), script);
    Files.setPosixFilePermissions(spy, PosixFilePermissions.fromString("rwx------"));
    return spy;
  }

  @Test
  void onlyTheUserCanReachThem() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Path caches = Files.createDirectory(folder.resolve("caches"));
    Path log = folder.resolve("log");
    String uri = "cpu://?threads=1&compiler=" + spy(log);
    ChildJvm.Ended ended =
        ChildJvm.runBehind(
            List.of("/bin/sh", "-c", "umask 000; exec \"$@\"", "sh"),
            folder,
            180,
            List.of("-Djava.io.tmpdir=" + temporary),
            Map.of("XDG_CACHE_HOME", caches.toString()),
            PrivateFilesProgram.class,
            uri);
    assertEquals(0, ended.code(), ended::toString);
    assertEquals("rw-rw-rw- control", ended.output().get(0), "a file as any other");
    assertAll(
        () -> assertRuntime(ended),
        () -> assertCompiler(Files.readAllLines(log)),
        () -> assertCache(caches.resolve("jhal")));
    assertTrue(Files.isDirectory(caches.resolve("JNA/temp")), "where SECURITY.md says JNA writes");
  }

  private static void assertRuntime(ChildJvm.Ended ended) {
    List<String> lines = ended.output();
    assertTrue(lines.get(1).matches("rw------- jhal-cpu\\d+\\.so"), ended::toString);
    assertTrue(lines.get(2).startsWith("loaded "), ended::toString);
    assertEquals(3, lines.size(), () -> "something is left: " + ended);
  }

  private static void assertCompiler(List<String> calls) {
    assertFalse(calls.isEmpty(), "the compiler was not called");
    for (String call : calls) {
      assertTrue(call.startsWith("drwx------"), () -> "the folder of the compiler: " + call);
    }
  }

  private static void assertCache(Path cache) throws Exception {
    assertEquals("rwx------", mode(cache), "the folder of the cache");
    try (Stream<Path> entries = Files.list(cache)) {
      List<Path> all = entries.toList();
      assertFalse(all.isEmpty(), "nothing is in the cache");
      for (Path entry : all) {
        assertEquals("rw-------", mode(entry), entry::toString);
      }
    }
  }
}
