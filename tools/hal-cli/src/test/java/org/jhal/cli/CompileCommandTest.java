// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jhal.cpu.CompileTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of {@code hal compile}; PrebuiltKernelsTest has what it makes. */
class CompileCommandTest {
  private static final String EDGES =
      Path.of("..", "..", "examples", "edges").toAbsolutePath().normalize().toString();

  @TempDir private Path folder;

  @Test
  void compilesForTheNamedArchitectures() {
    String overlay = folder.resolve("overlay").toString();
    Outcome outcome = hal("compile", EDGES, "--out", overlay);
    assumeFalse(outcome.exitCode() == 3, outcome::err);
    String line = outcome.succeeded().out();
    String architecture = line.split(" ", 2)[0];
    assertTrue(CompileTool.architectures().contains(architecture), line);
    assertTrue(Files.exists(Path.of(overlay, "manifest.json")), line);

    String second = folder.resolve("second").toString();
    boolean isX86 = architecture.startsWith("x86_64");
    String list = isX86 ? "x86_64-v2, x86_64-v3" : architecture;
    String both = hal("compile", "--for=" + list, "--out=" + second, EDGES).succeeded().out();
    assertEquals(isX86 ? 2 : 1, both.lines().count(), both);
  }

  @Test
  void compilesForVulkan() throws IOException {
    Path overlay = folder.resolve("overlay");
    String[] command = {"compile", EDGES, "--out", overlay.toString(), "--for", "vulkan"};
    String clang = System.getProperty("jhal.vulkan.compiler");
    if (clang != null) {
      command =
          Stream.concat(Stream.of(command), Stream.of("--compiler", clang)).toArray(String[]::new);
    }
    Outcome outcome = hal(command);
    assumeFalse(outcome.exitCode() == 3, outcome::err);
    assertTrue(outcome.succeeded().out().startsWith("vulkan "), outcome.out());
    assertTrue(Files.size(overlay.resolve("edges.spv")) > 0);
    String manifest = Files.readString(overlay.resolve("manifest.json"));
    assertTrue(manifest.contains("\"format\": \"vulkan-spirv\""), manifest);
    assertFalse(manifest.contains("architecture"), manifest);
  }

  @Test
  void addsToTheBundle() throws IOException {
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    for (String file : new String[] {"manifest.json", "edges.cpp"}) {
      Files.copy(Path.of(EDGES, file), bundle.resolve(file));
    }
    Outcome outcome = hal("compile", bundle.toString(), "--add");
    assumeFalse(outcome.exitCode() == 3, outcome::err);
    outcome.succeeded();
    assertTrue(Files.readString(bundle.resolve("manifest.json")).contains("cpu-so"));
  }

  @Test
  void reportsWrongUsage() {
    hal("compile").failed(2, "BUNDLE is missing (see hal compile --help)");
    hal("compile", EDGES).failed(2, "either --out FOLDER or --add is needed");
    String out = folder.resolve("out").toString();
    hal("compile", EDGES, "--add", "--out", out).failed(2, "--out and --add exclude each other");
    hal("compile", EDGES, "--out").failed(2, "'--out'");
    hal("compile", EDGES, "--out=").failed(2, "'--out'", "'' names no file or folder");
    hal("compile", EDGES, "--add=yes").failed(2, "'yes'");
    hal("compile", EDGES, "--fast").failed(2, "unknown option '--fast' (see hal compile --help)");
    hal("compile", EDGES, "--ad").failed(2, "'--ad', did you mean '--add'?");
    hal("compile", EDGES, "more", "--add").failed(2, "unexpected argument 'more'");
    String known = String.join(", ", CompileTool.architectures()) + ", vulkan";
    hal("compile", EDGES, "--out", out, "--for", "x86-64-v3")
        .failed(2, "INVALID_ARGUMENT: --for has 'x86-64-v3'; known are " + known + " (see hal");
    hal("compile", EDGES, "--out", out, "--for", "vulkan,aarch64", "--compiler", "clang")
        .failed(2, "--compiler is for the device cpu or for vulkan");
    hal("compile", EDGES, "--out", out, "--for", "vulkan", "--compiler", "none")
        .failed(3, "FAILED_PRECONDITION: the option compiler is none");
    hal("compile", EDGES, "--out", out, "--for", "").failed(2, "--for has ''");
    hal("compile", EDGES, "--out", out, "--compiler", folder.toString())
        .failed(2, "is not a file that can be executed");
    hal("compile", folder.resolve("none").toString(), "--out", out).failed(2, "no bundle at ");
    assertFalse(Files.exists(Path.of(out)));
  }

  @Test
  void helpListsTheArchitectures() {
    String help = hal("compile", "--help").succeeded().out().replaceAll("\\s+", " ");
    String known = String.join(", ", CompileTool.architectures()) + ", vulkan";
    assertTrue(help.contains("separated by commas: " + known + ". By default"), help);
  }
}
