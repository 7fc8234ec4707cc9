// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Status;
import org.jhal.kernels.cache.CacheTool;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The cache of compiled kernels: a later process needs no compiler, and whatever is wrong with the
 * folder, kernels load and do what their sources say.
 */
class GpuCacheTest extends CachedKernels {
  private final List<String> log = new CopyOnWriteArrayList<>();

  /** The log of the engine's caches. */
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          log.add(record.getLevel() + " " + record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  // A field, because java.util.logging holds loggers only weakly.
  private final Logger logger = Logger.getLogger("org.jhal.kernels.cache");

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    logger.setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
    logger.setLevel(null);
    logger.setUseParentHandlers(true);
  }

  private Device open() {
    return open(folder.toString());
  }

  private Device open(String cache) {
    return sim.open(sim.driver().name() + "://0?cache=" + cache);
  }

  private static int run(Device device, Path bundle) throws InterruptedException {
    try (Executable kernels = device.loadExecutable(ExecutableSource.of(bundle))) {
      return CacheProbe.run(device, kernels);
    }
  }

  private int runHere(Path bundle) throws InterruptedException {
    try (Device device = open()) {
      return run(device, bundle);
    }
  }

  /** The entries. */
  private List<Path> entries() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private Path entry() throws IOException {
    assertEquals(1, entries().size(), () -> "entries; logged was " + log);
    return entries().get(0);
  }

  /** Checks what {@code hal cache verify} prints. */
  private void assertVerifies(int code, String said) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    CacheTool.Options options = new CacheTool.Options(CacheTool.Action.VERIFY, folder);
    assertEquals(code, CacheTool.run(options, writer, writer), out::toString);
    assertTrue(out.toString().contains(said), out::toString);
  }

  /** The symbol of an instance is known to the compiler alone. */
  @Test
  void aLaterProcessFindsInstancesOfTemplates() throws Exception {
    String compiler = compiler();
    String source =
        "template <class T, int MORE> __global__ void put(T* out, T value) { out[0] = value + MORE; }";
    for (int more : new int[] {1, 2}) {
      for (String expected : List.of("compiler: loaded", "compiler: not loaded")) {
        String entries = ", \"entries\": {\"store\": \"put<unsigned, " + more + ">\"}";
        Path bundle = bundle("instances", source, "", entries);
        List<String> lines = probe(Map.of(), compiler, bundle).lines();
        assertTrue(lines.contains("stored: " + (5 + more)), lines::toString);
        assertTrue(lines.contains(expected), () -> expected + " in " + lines);
      }
    }
    assertVerifies(0, "2 entries");
  }

  @Test
  void aLaterProcessDoesNotLoadTheCompiler() throws Exception {
    String compiler = compiler();
    assertProbe(true, Map.of(), compiler, 1);
    assertVerifies(0, "1 entry in " + folder + ", all of them sound");
    assertProbe(false, Map.of(), compiler, 1);
    assertProbe(true, Map.of(), compiler, 2);
    assertVerifies(0, "2 entries");
  }

  @Test
  void recompilesADamagedEntry() throws Exception {
    String compiler = compiler();
    assertProbe(true, Map.of(), compiler, 1);
    byte[] sound = Files.readAllBytes(entry());
    for (byte[] damage : List.of(Arrays.copyOf(sound, sound.length / 2), flipped(sound))) {
      Files.write(entry(), damage);
      assertVerifies(1, "1 of no use");
      assertProbe(true, Map.of(), compiler, 1);
      assertArrayEquals(sound, Files.readAllBytes(entry()), "it is replaced");
    }
  }

  private static byte[] flipped(byte[] bytes) {
    byte[] flipped = bytes.clone();
    flipped[bytes.length - 100] ^= 1;
    return flipped;
  }

  /** A compiler counts as another one if its file has changed. */
  @Test
  void recompilesForAChangedCompiler() throws Exception {
    Path original = Path.of(compiler());
    Path mine =
        Files.createDirectory(temporary.resolve("compiler")).resolve(original.getFileName());
    try (Stream<Path> parts = Files.list(original.getParent())) {
      for (Path part : parts.toList()) {
        Files.copy(part, mine.resolveSibling(part.getFileName()));
      }
    }
    assertProbe(true, Map.of(), mine.toString(), 1);
    assertProbe(false, Map.of(), mine.toString(), 1);
    Files.setLastModifiedTime(mine, FileTime.fromMillis(1_000_000_000_000L));
    assertProbe(true, Map.of(), mine.toString(), 1);
    assertProbe(false, Map.of(), mine.toString(), 1);
    assertVerifies(0, "2 entries");
  }

  @Test
  void bundlesThatAreLoadedConcurrentlyStaySeparate() throws Exception {
    try (Device device = open();
        Executable first = device.loadExecutable(ExecutableSource.of(bundle(1)));
        Executable second = device.loadExecutable(ExecutableSource.of(bundle(2)))) {
      assertEquals(6, CacheProbe.run(device, first));
      assertEquals(7, CacheProbe.run(device, second));
    }
  }

  @Test
  void twoProcessesShareTheFolder() throws Exception {
    String compiler = compilerFile();
    assumeTrue(!compiler.isEmpty(), "the compiler is a part of the runtime here");
    Path[] bundles = {bundle(1), bundle(2), bundle(3)};
    Path[] reverse = {bundle(3), bundle(2), bundle(1)};
    ProbeJvm first = probe(Map.of(), compiler, bundles);
    ProbeJvm second = probe(Map.of(), compiler, reverse);
    assertEquals(List.of("stored: 6", "stored: 7", "stored: 8"), stored(first));
    assertEquals(List.of("stored: 8", "stored: 7", "stored: 6"), stored(second));
    assertVerifies(0, "3 entries in " + folder + ", all of them sound");
    assertEquals(3, entries().size(), "the files in the folder, with unfinished ones");
  }

  private static List<String> stored(ProbeJvm probe) throws Exception {
    return probe.lines().stream().filter(line -> line.startsWith("stored")).toList();
  }

  @Test
  void deviceShowsTheSetting() {
    try (Device device = open()) {
      assertTrue(
          device.settings().stream()
              .anyMatch(
                  setting ->
                      setting.name().equals("cache")
                          && setting.value().equals(folder.toString())
                          && setting.origin().equals("uri")),
          () -> device.settings().toString());
    }
  }

  @Test
  void refusesAMalformedSetting() throws IOException {
    String rule = "it must be the absolute path of a folder, or off";
    for (String wrong : List.of("", "kept", "../kept", "on", "/a%00b")) {
      assertHal(Status.INVALID_ARGUMENT, () -> open(wrong), "option 'cache'", rule);
    }
    Path file = Files.createFile(temporary.resolve("file"));
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> open(file.toString()),
        "option 'cache' is '" + file + "' (from uri), which is no folder");
  }

  @Test
  void keepsNothingIfTheCacheIsOff() throws Exception {
    try (Device device = open("off")) {
      assertEquals(6, run(device, bundle(1)));
    }
    assertFalse(Files.exists(folder));
    assertEquals(6, runHere(bundle(1)));
    entry(); // code that this process compiled before is kept as soon as there is a folder
  }

  @Test
  void doesNotKeepASourceThatReadsOtherFiles() throws Exception {
    String source = "#define MORE 1\n" + SOURCE;
    assertEquals(6, runHere(bundle("include", "#include <stdalign.h>\n" + source, "")));
    assertEquals(6, runHere(bundle("comment", "// #include <stdalign.h>\n" + source, "")));
    assertEquals(6, runHere(bundle("time", "// __TIME__\n" + source, "")));
    assertEquals(6, runHere(bundle("option", source, "-DWHEN=__TIME__")));
    assertEquals(List.of(), entries());
    assertEquals(7, runHere(bundle("macro", SOURCE, "-DMORE=2")));
    entry();
  }

  @Test
  void includedFilesArePartOfTheKey() throws Exception {
    String source = "#include \"lib/more.h\"\n" + SOURCE;
    Path bundle = bundle("own", source, "");
    Path header = Files.createDirectories(bundle.resolve("lib")).resolve("more.h");
    Files.writeString(header, "#define MORE 1\n");
    assertEquals(6, runHere(bundle));
    byte[] kept = Files.readAllBytes(entry());
    assertEquals(6, runHere(bundle));
    assertArrayEquals(kept, Files.readAllBytes(entry()));
    Files.writeString(header, "#define MORE 2\n");
    assertEquals(7, runHere(bundle), "the kept code is of another header");
    assertEquals(2, entries().size());
    Files.writeString(header, "#include <stdalign.h>\n#define MORE 3\n");
    assertEquals(8, runHere(bundle));
    Files.writeString(header, "#if 0\n#include \"gone.h\"\n#endif\n#define MORE 4\n");
    assertEquals(9, runHere(bundle));
    assertEquals(2, entries().size(), "code that reads files outside the bundle was kept");
  }

  @Test
  void recompilesForEachChangedPartOfTheKey() throws Exception {
    assertEquals(7, runHere(bundle("macro", SOURCE, "-DMORE=2")));
    assertEquals(8, runHere(bundle("macro", SOURCE, "-DMORE=3")));
    assertEquals(8, runHere(bundle("source", "#define MORE 3\n" + SOURCE, "")));
    Path renamed = bundle("name", "#define MORE 3\n" + SOURCE, "");
    Files.move(renamed.resolve("store.cpp"), renamed.resolve("other.cpp"));
    Path manifest = renamed.resolve("manifest.json");
    Files.writeString(manifest, Files.readString(manifest).replace("store.cpp", "other.cpp"));
    assertEquals(8, runHere(renamed));
    assertEquals(4, entries().size());
    assertEquals(8, runHere(bundle("again", "#define MORE 3\n" + SOURCE, "")));
    assertEquals(4, entries().size(), "the name of the bundle does not count");
  }

  @Test
  void loadsAlthoughTheFolderCannotBeCreated() throws Exception {
    folder = Path.of("/proc/self/kept"); // not even root can create a folder there
    for (int more = 1; more <= 2; more++) {
      assertEquals(5 + more, runHere(bundle(more)));
    }
    assertEquals(1, log.size(), () -> "logged once: " + log);
    assertTrue(
        log.get(0).startsWith("WARNING the kernel cache /proc/self/kept cannot"), log::toString);
    assertTrue(log.get(0).contains("the folder cannot be made: "), log::toString);
  }

  @Test
  void doesNotUseAFolderThatOthersCanWrite() throws Exception {
    assertEquals(6, runHere(bundle(1)));
    byte[] before = Files.readAllBytes(entry());
    Files.write(entry(), flipped(before)); // as another user might
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    for (int more = 1; more <= 2; more++) {
      assertEquals(5 + more, runHere(bundle(more)));
    }
    assertArrayEquals(flipped(before), Files.readAllBytes(entry()), "the entry was changed");
    assertEquals(1, log.size(), () -> "logged once: " + log);
    assertTrue(log.get(0).startsWith("WARNING the kernel cache " + folder), log::toString);
  }

  @Test
  void loadsAlthoughAFolderIsInPlaceOfAnEntry() throws Exception {
    assertEquals(6, runHere(bundle(1)));
    Path entry = entry();
    Files.delete(entry);
    Files.createDirectories(entry.resolve("inside"));
    assertEquals(6, runHere(bundle(1)));
    assertTrue(Files.isDirectory(entry.resolve("inside")));
  }

  @Test
  void replacesALinkInPlaceOfAnEntry() throws Exception {
    assertEquals(6, runHere(bundle(1)));
    Path entry = entry();
    Path elsewhere = Files.move(entry, temporary.resolve("elsewhere"));
    Files.createSymbolicLink(entry, elsewhere);
    assertEquals(6, runHere(bundle(1)));
    assertTrue(Files.isRegularFile(entry(), java.nio.file.LinkOption.NOFOLLOW_LINKS));
  }
}
