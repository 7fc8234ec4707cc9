// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script of a trace's page shows and hides, run by Node without a browser. */
class TracePageTest {
  private static final String SLICES =
      """
      const slices = [
        { name: "tile", kind: "dispatch", track: "cuda-0-q0", begin: 0, end: 10 },
        { name: "upload", kind: "upload", track: "cuda-0-q1", begin: 10, end: 20 },
        { name: "tile", kind: "dispatch", track: "mock-0-q0", begin: 20, end: 30 },
      ];
      const shown = (text, ...hidden) =>
        slices.map((slice, i) => isShown(slice, text, new Set(hidden)) ? i : -1).filter(i => i >= 0).join();
      """;

  @TempDir private Path folder;

  @Test
  void aFilterMatchesNameKindAndQueue() throws Exception {
    assertEquals("0,1,2", run("shown('')"));
    assertEquals("0,2", run("shown(' TILE ')"));
    assertEquals("0,1", run("shown('cuda-0')"));
    assertEquals("1", run("shown('upl')"));
    assertEquals("1", run("shown('', 'dispatch')"));
    assertEquals("", run("shown('tile', 'dispatch')"));
  }

  /** 780 operations with an arrow each covered everything. */
  @Test
  void manyArrowsAreThoseOfTheSliceThatIsPointedAt() throws Exception {
    String arrows =
        "const arrows = n => Array.from({ length: n }, (_, i) => ({ from: slices[i % 2], to: slices[2] }));";
    assertEquals("100", run(arrows + "chosen(arrows(100), 'auto', null).length"));
    assertEquals("0", run(arrows + "chosen(arrows(101), 'auto', null).length"));
    assertEquals("51", run(arrows + "chosen(arrows(101), 'auto', slices[0]).length"));
    assertEquals("50", run(arrows + "chosen(arrows(101), 'auto', slices[1]).length"));
    assertEquals("101", run(arrows + "chosen(arrows(101), 'auto', slices[2]).length"));
    assertEquals("1000", run(arrows + "chosen(arrows(1000), 'all', null).length"));
    assertEquals("1", run(arrows + "chosen(arrows(3), 'slice', slices[1]).length"));
    assertEquals("0", run(arrows + "chosen(arrows(3), 'none', slices[1]).length"));
  }

  @Test
  void anArrowBelongsToTheSlicesAtItsEnds() throws Exception {
    assertEquals("0", run("slices.indexOf(sliceAt(slices, 10, 'end'))"));
    assertEquals("1", run("slices.indexOf(sliceAt(slices, 10, 'begin'))"));
    assertEquals("1", run("slices.indexOf(sliceAt(slices, 15, 'begin'))"));
    assertEquals("-1", run("slices.indexOf(sliceAt(slices, 31, 'end'))"));
  }

  /** The value of the last expression after the page's script, which needs no document to load. */
  private String run(String expressions) throws IOException, InterruptedException {
    assumeTrue(hasNode(), "there is no node on the PATH to run the page's script");
    String page;
    try (InputStream in =
        Objects.requireNonNull(PictureTrace.class.getResourceAsStream("page.html"))) {
      page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String script = page.substring(page.indexOf("<script>") + 8, page.indexOf("</script>"));
    int last = expressions.lastIndexOf(';') + 1;
    String printed =
        expressions.substring(0, last)
            + "process.stdout.write(String("
            + expressions.substring(last)
            + "))";
    Path file = Files.writeString(folder.resolve("page.js"), script + "\n" + SLICES + printed);
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder("node", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "node did not end within a minute");
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(output);
    assertEquals(0, process.exitValue(), text);
    return text;
  }

  private static boolean hasNode() {
    List<String> folders =
        List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
    return folders.stream()
        .flatMap(folder -> Stream.of("node", "node.exe").map(name -> Path.of(folder, name)))
        .anyMatch(Files::isExecutable);
  }
}
