// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jhal.hip.jna.HipApi;

/**
 * Builds libraries that export the functions of {@link HipApi}, with results of a test's choice.
 */
final class FakeRuntime {
  private FakeRuntime() {}

  /**
   * Builds one.
   *
   * @param functions bodies in C, by name; {@code a} and {@code b} are the first two arguments
   * @param missing functions that it does not export
   */
  static Path build(Path folder, Map<String, String> functions, Set<String> missing)
      throws IOException, InterruptedException {
    Optional<CCompiler> compiler = CCompiler.find();
    assumeTrue(compiler.isPresent(), CCompiler.absent());
    Map<String, String> all = new LinkedHashMap<>();
    HipApi.API.symbols().forEach(name -> all.put(name, "return 0;"));
    all.put("hipGetErrorName", "return (long)\"hipErrorNamed\";");
    all.put("hipGetErrorString", "return (long)\"what it means\";");
    all.put("hipRuntimeGetVersion", "*(int*)a = 60342131; return 0;");
    all.put("hipGetDeviceCount", "*(int*)a = 1; return 0;");
    all.putAll(functions);
    all.keySet().removeAll(missing);
    StringBuilder source = new StringBuilder();
    all.forEach(
        (name, body) ->
            source.append(
                "long " + name + "(long a, long b) { (void)a; (void)b; " + body + " }\n"));
    Path library = Files.createTempDirectory(folder, "fake").resolve("libamdhip64.so.6");
    Files.writeString(folder.resolve("fake.c"), source.toString());
    CCompiler.Result built =
        compiler.get().run(folder, "-shared", "-fPIC", "-o", library.toString(), "fake.c");
    assertEquals(0, built.code(), built.output());
    return library;
  }
}
