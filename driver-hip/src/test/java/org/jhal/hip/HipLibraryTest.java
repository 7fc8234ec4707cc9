// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The verdict on different libraries, in one process each. */
@Timeout(200)
@Tag("long")
class HipLibraryTest {
  @TempDir private Path folder;

  private String load(Path library) throws Exception {
    String text =
        ChildJvm.run(
            folder, Map.of(), List.of("-D" + HipDriver.WANTED.property() + "=" + library), "load");
    assertContains(text, "again: the same");
    return text;
  }

  private String load(String function, String body) throws Exception {
    return load(FakeRuntime.build(folder, Map.of(function, body), Set.of()));
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in:\n" + text);
    }
  }

  @Test
  void namesTheSettingIfTheLibraryIsMissing() throws Exception {
    Path missing = folder.resolve("no/libamdhip64.so");
    assertContains(
        load(missing), "load: UNAVAILABLE: there is no file '" + missing + "'", "jhal.hip.library");
    Path text = Files.writeString(folder.resolve("text.so"), "no library");
    assertContains(
        load(text),
        "load: UNAVAILABLE: the HIP runtime cannot be loaded",
        "text.so (",
        "file too short");
  }

  @Test
  void reportsALibraryForAnotherProcessor() throws Exception {
    Path library = FakeRuntime.build(folder, Map.of(), Set.of());
    byte[] bytes = Files.readAllBytes(library);
    int other = bytes[18] == (byte) 183 ? 62 : 183;
    bytes[18] = (byte) other;
    Files.write(library, bytes);
    assertContains(
        load(library),
        "load: UNAVAILABLE: the HIP runtime cannot be loaded",
        "made for a 64-bit processor with the ELF number " + other + ", ",
        "; this process runs on ");
    bytes[4] = 1;
    Files.write(library, bytes);
    assertContains(load(library), "made for a 32-bit processor");
  }

  @Test
  void namesTheMissingFunctionsOfALibrary() throws Exception {
    Set<String> missing = Set.of("hipMemPoolCreate", "hipMallocFromPoolAsync");
    assertContains(
        load(FakeRuntime.build(folder, Map.of(), missing)),
        "load: UNAVAILABLE: ",
        "lacks hipMallocFromPoolAsync, hipMemPoolCreate; the HIP runtime is too old",
        "ROCm 5.2");
  }

  /** Some versions return 100, others 101, and not all of them from the same call. */
  @Test
  void reportsAMachineWithoutADevice() throws Exception {
    for (String body : List.of("return 100;", "return 101;", "*(int*)a = 0; return 0;")) {
      assertContains(
          load("hipGetDeviceCount", body),
          "load: UNAVAILABLE: HIP 6.3.42131 (",
          ") finds no device");
    }
    for (String body : List.of("return 100;", "return 101;")) {
      assertContains(load("hipInit", body), ") finds no device [code 10");
    }
  }

  @Test
  void reportsAnyOtherFailureUnchanged() throws Exception {
    assertContains(
        load("hipInit", "return 3;"),
        "load: UNAVAILABLE: ",
        "cannot be initialised: hipInit returned 3 hipErrorNamed (what it means) [code 3"
            + " hipErrorNamed]");
  }

  @Test
  void readsTheArchitectureInTheLayoutOfTheLibrary() throws Exception {
    Map<String, String> old =
        Map.of("hipGetDeviceProperties", "__builtin_strcpy((char*)a + 396, \"gfx908\"); return 0;");
    assertContains(
        load(FakeRuntime.build(folder, old, Set.of())),
        "load: HIP 6.3.42131, devices 1, architecture gfx908");
    Map<String, String> both =
        Map.of(
            "hipGetDeviceProperties",
            "__builtin_strcpy((char*)a + 396, \"gfx908\"); return 0;",
            "hipGetDevicePropertiesR0600",
            "__builtin_strcpy((char*)a + 1160, \"gfx90a:sramecc+:xnack-\"); return 0;");
    assertContains(
        load(FakeRuntime.build(folder, both, Set.of())), "architecture gfx90a:sramecc+:xnack-");
    Map<String, String> nonsense = Map.of("hipGetDeviceProperties", "return 0;");
    assertContains(
        load(FakeRuntime.build(folder, nonsense, Set.of())),
        "load: INTERNAL: hipGetDeviceProperties says that device 0 has the architecture ''");
  }

  @Test
  void reportsAMissingFunctionForTheArchitecture() throws Exception {
    assertContains(
        load(FakeRuntime.build(folder, Map.of(), Set.of("hipGetDeviceProperties"))),
        "load: UNAVAILABLE: ",
        " lacks hipGetDeviceProperties, in all its forms");
  }

  @Test
  void usesGraphsFromRocm7OnIfTheyExist() throws Exception {
    String properties = "__builtin_strcpy((char*)a + 396, \"gfx908\"); return 0;";
    assertContains(
        load("hipGetDeviceProperties", properties),
        "load: HIP 6.3.42131",
        "graphs: not available: the graphs of ROCm 6 are known to be faulty");
    Map<String, String> seven =
        Map.of(
            "hipGetDeviceProperties",
            properties,
            "hipRuntimeGetVersion",
            "*(int*)a = 70051831; return 0;");
    assertContains(
        load(FakeRuntime.build(folder, seven, Set.of())),
        "load: HIP 7.0.51831",
        "graphs: not available: ",
        " lacks hipGraphAddKernelNode, ");
  }

  @Test
  void searchesRocmPathFirst() throws Exception {
    Path library = FakeRuntime.build(folder, Map.of("hipInit", "return 101;"), Set.of());
    Path home = folder.resolve("rocm");
    Path folderOfLibraries = Files.createDirectories(home.resolve("lib"));
    Path moved = Files.move(library, folderOfLibraries.resolve("libamdhip64.so.6"));
    assertContains(
        ChildJvm.run(folder, Map.of("ROCM_PATH", home.toString()), List.of(), "load"),
        "load: UNAVAILABLE: HIP 6.3.42131 (" + moved + ") finds no device");
    assertContains(
        ChildJvm.run(folder, Map.of("JHAL_HIP_LIBRARY", moved.toString()), List.of(), "load"),
        "(" + moved + ") finds no device");
  }
}
