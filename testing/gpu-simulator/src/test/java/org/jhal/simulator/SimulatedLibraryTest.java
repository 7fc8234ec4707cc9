// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Building and keeping libraries. */
class SimulatedLibraryTest {
  /** The tests have it in common, so that they compile the simulator once. */
  @TempDir private static Path common;

  @TempDir private Path empty;

  @BeforeEach
  void useAFolderOfItsOwn() {
    Optional<String> reason = Toolchain.find(true).unavailable();
    assumeTrue(reason.isEmpty(), () -> reason.get());
    System.setProperty("gpusim.folder", common.toString());
  }

  @AfterEach
  void useTheUsualFolder() {
    System.clearProperty("gpusim.folder");
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static SimulatedLibrary tiny(String... missing) {
    return SimulatedLibrary.driver(
        "libtiny.so", TinyDevice.class, TinyDevice.FACE, List.of(missing));
  }

  @Test
  void buildsALibraryOnceForConcurrentCallers() throws Exception {
    System.setProperty("gpusim.folder", empty.toString());
    List<CompletableFuture<SimulatedLibrary>> asked =
        Stream.generate(() -> CompletableFuture.supplyAsync(() -> tiny())).limit(2).toList();
    for (CompletableFuture<SimulatedLibrary> each : asked) {
      assertEquals(tiny().path(), each.get(60, TimeUnit.SECONDS).path(), "while two build it");
    }
    FileTime built = Files.getLastModifiedTime(tiny().path());
    assertEquals(built, Files.getLastModifiedTime(tiny().path()));
    List<Path> left = files(empty);
    assertEquals(3, left.size(), () -> "the simulator, the face and the library: " + left);
    assertTrue(left.contains(tiny().path().getParent()), left::toString);
  }

  @Test
  void anotherLibraryOfTheSameSourcesCompilesNothing() throws Exception {
    Path library = tiny().path();
    List<Path> before = files(common);
    Path other = tiny("tinyFree").path();
    List<Path> after = new ArrayList<>(files(common));
    assertTrue(after.removeAll(before));
    assertEquals(List.of(other.getParent()), after, () -> "beside " + library);
  }

  @Test
  void omitsTheMissingFunctions() {
    SimulatedLibrary library = tiny("tinyAlloc", "tinyFree");
    assertNotEquals(tiny().path(), library.path());
    NativeLibrary loaded = NativeLibrary.getInstance(library.path().toString());
    assertThrows(UnsatisfiedLinkError.class, () -> loaded.getFunction("tinyAlloc"));
    assertThrows(UnsatisfiedLinkError.class, () -> loaded.getFunction("tinyFree"));
    assertThrows(UnsatisfiedLinkError.class, () -> loaded.getFunction("gs_memory_alloc"));
    assertEquals("tinySync", loaded.getFunction("tinySync").getName());
    loaded.close();
  }

  /** JNA unloads a library without references, and its settings are lost. */
  @Test
  void keepsSettingsUntilTheReset() {
    Path library = tiny().path();
    call(library);
    boolean isForgotten =
        Waits.becomesTrue(
            Duration.ofSeconds(1),
            () -> {
              System.gc();
              return Simulator.in(library).calls().isEmpty();
            });
    assertFalse(isForgotten, "the library was unloaded");
  }

  /** Calls a function before the simulator keeps the library. */
  private static void call(Path library) {
    NativeLibrary loaded = NativeLibrary.getInstance(library.toString());
    loaded.getFunction("tinySync").invokeInt(new Object[] {0L});
    assertEquals(Map.of("tinySync", 1L), Simulator.in(library).calls());
    Reference.reachabilityFence(loaded);
  }

  @Test
  void saysThatThereIsNoCompiler() throws IOException {
    Toolchain none = Toolchain.find(false, empty.toString());
    SimulatedLibrary library =
        SimulatedLibrary.build(
            "libtiny.so", List.of(), TinyDevice.class, List.of(), List.of(), none);
    assertTrue(library.unavailable().orElse("").contains("no gcc, cc or clang in PATH"));
    assertThrows(IllegalStateException.class, library::path);
    assertTrue(Files.createFile(empty.resolve("cc")).toFile().setExecutable(true));
    assertEquals(Optional.empty(), Toolchain.find(false, empty.toString()).unavailable());
    assertTrue(Toolchain.find(true, empty.toString()).unavailable().orElse("").contains("g++"));
  }

  @Test
  void reportsTheErrorsOfTheCompiler() {
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                SimulatedLibrary.build(
                    "libtiny.so",
                    List.of(),
                    TinyDevice.class,
                    List.of("tiny_wrong.c"),
                    List.of(),
                    Toolchain.find(false)));
    assertTrue(String.valueOf(thrown.getCause()).contains("tiny_wrong.c:3"), thrown::toString);
  }
}
