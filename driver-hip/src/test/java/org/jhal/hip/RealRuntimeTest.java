package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real HIP runtime and compiler of this machine, if there are any; no device is needed. */
@Timeout(200)
class RealRuntimeTest {
  private static final List<String> ARCHITECTURES = List.of("gfx90a", "gfx1030");
  private static final int EM_AMDGPU = 224;

  @TempDir private Path folder;
  private String loaded = "";

  @BeforeEach
  void lookForTheRuntime() throws Exception {
    loaded = ChildJvm.run(folder, Map.of(), List.of(), "load");
    assumeFalse(
        loaded.contains("cannot be loaded"),
        "there is no HIP runtime on this machine; Debian and Ubuntu have it in the packages libamdhip64-5 and"
            + " libhiprtc-builtins5");
  }

  private String run(String... arguments) throws Exception {
    return ChildJvm.run(folder, Map.of(), List.of(), arguments);
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in:\n" + text);
    }
  }

  @Test
  void itHasAllThatIsNeededAndSaysWhetherThereIsADevice() {
    boolean isKnown =
        loaded
            .lines()
            .anyMatch(
                line ->
                    line.matches(
                        "load: (UNAVAILABLE: the HIP runtime [5-9]\\.\\d+\\.\\d+ \\(.*\\) finds no device"
                            + "|version [5-9]\\.\\d+\\.\\d+, devices [1-9].*)"));
    assertTrue(isKnown, loaded);
    assertContains(loaded, "again: the same");
  }

  @Test
  void codesHaveNames() throws Exception {
    assertContains(
        run("load", "--", "errors", "0", "1", "100", "209", "719", "999", "12345"),
        "error: 0 hipSuccess",
        "error: 1 hipErrorInvalidValue",
        "error: 100 hipErrorNoDevice",
        "error: 209 hipErrorNoBinaryForGpu",
        "error: 719 hipErrorLaunchFailure",
        "error: 999 hipErrorUnknown",
        "error: 12345, which this runtime has no name for");
  }

  /** All sources of the examples, as they are compiled for any device. */
  @Test
  void theSourcesOfTheExamplesCompile() throws Exception {
    List<Path> sources = sources();
    assertFalse(sources.isEmpty());
    List<String> words = new ArrayList<>();
    for (String architecture : ARCHITECTURES) {
      for (Path source : sources) {
        words.addAll(List.of("compile", architecture, source.toString(), "--"));
      }
    }
    String text = run(words.subList(0, words.size() - 1).toArray(new String[0]));
    for (String architecture : ARCHITECTURES) {
      for (Path source : sources) {
        assertContains(
            text,
            "compiled: "
                + source.getFileName()
                + " for "
                + architecture
                + ": ELF for machine "
                + EM_AMDGPU);
      }
    }
  }

  private static List<Path> sources() throws IOException {
    Path examples = Path.of("").toAbsolutePath().resolve("../examples").normalize();
    try (Stream<Path> files = Files.walk(examples)) {
      return files
          .filter(file -> file.toString().endsWith(".cpp") && !file.toString().contains("target"))
          .sorted()
          .toList();
    }
  }

  @Test
  void aSourceThatIsWrongIsRefusedWithTheLog() throws Exception {
    Path wrong = Files.writeString(folder.resolve("wrong.cpp"), "\n\nint x = y;\n");
    assertContains(
        run("compile", "gfx90a", wrong.toString()),
        "compiled: INVALID_ARGUMENT: cannot compile wrong.cpp for gfx90a: HIPRTC_ERROR_COMPILATION",
        "undeclared identifier 'y'");
  }

  /** The compiler of ROCm 5.2.3 ends the process where it is asked for these. */
  @Test
  void anArchitectureThatTheCompilerDoesNotKnowIsRefusedBeforeItIsAsked() throws Exception {
    Path source =
        Files.writeString(folder.resolve("fine.cpp"), "extern \"C\" __global__ void a() {}\n");
    for (String architecture : List.of("gfx1", "gfx90a:fast+", "gfx1030:xnack+", "sm_90")) {
      assertContains(
          run("compile", architecture, source.toString()),
          "compiled: UNIMPLEMENTED: cannot compile fine.cpp for " + architecture,
          "makes no code for " + architecture + ", only for ",
          "gfx90a",
          "end");
    }
    assertContains(
        run("compile", "gfx90a", source.toString(), "--offload-arch=gfx1"),
        "compiled: INVALID_ARGUMENT: ",
        "the option --offload-arch=gfx1 chooses an architecture");
    assertContains(
        run("compile", "gfx90a:sramecc+:xnack-", source.toString()),
        "ELF for machine " + EM_AMDGPU);
  }
}
