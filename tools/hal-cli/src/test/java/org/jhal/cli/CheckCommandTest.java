// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hal check}: the line, the exit code and the JSON of a wrong kernel, and of its twin. */
public class CheckCommandTest {
  private static final Path SAXPY = Path.of("../../examples/saxpy");

  @TempDir Path folder;

  @BeforeEach
  void needsCompiler() {
    String path = System.getenv().getOrDefault("PATH", "");
    Assumptions.assumeTrue(
        Arrays.stream(path.split(":")).anyMatch(each -> Files.isExecutable(Path.of(each, "c++"))),
        "there is no C++ compiler on the PATH");
  }

  private record Result(int exitCode, String out, String err) {}

  private static Result check(Path bundle, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "check",
                bundle.toString(),
                "--device",
                "cpu://?cache=off",
                "--arg",
                "a=2",
                "--arg",
                "x=" + SAXPY.resolve("x.npy"),
                "--arg",
                "y=" + SAXPY.resolve("y.npy")));
    all.addAll(List.of(more));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), all.toArray(String[]::new));
    return new Result(exitCode, out.toString(), err.toString());
  }

  /** A copy of the example, with a mistake. */
  private Path copy(String sound, String wrong) throws Exception {
    for (String file : List.of("manifest.json", "saxpy.cpp")) {
      String text = Files.readString(SAXPY.resolve(file));
      Files.writeString(folder.resolve(file), text.replace(sound, wrong));
    }
    return folder;
  }

  private Path wrong() throws Exception {
    return copy("if (i < n)", "if (i <= n)");
  }

  @Test
  void anOutputMustBeWrittenCompletely() throws Exception {
    Path bundle = copy("y[i] = fmaf(a, x[i], y[i])", "z[i + i / 500] = x[i]");
    copyMore(bundle, "float* y)", "const float* y, float* z)");
    copyMore(bundle, "\"type\": \"f32\", \"direction\": \"inout\"}", Z);
    copyMore(bundle, "\"shapes\": {", "\"shapes\": {\"z\": [1001], ");
    Result result = check(bundle);
    String out = result.out();
    assertTrue(
        out.startsWith("values: kernel saxpy leaves 1 of the 1001 elements (f32) of 'z'"), out);
    assertTrue(
        out.contains("the first is element 500\n  saxpy.cpp:6: z[i + i / 500] = x[i];"), out);
    assertEquals(ExitCode.FOUND, result.exitCode());
    copyMore(bundle, "[1001]", "[1000]");
    copyMore(bundle, "i + i / 500", "i");
    result = check(bundle);
    assertEquals(ExitCode.SUCCESS, result.exitCode(), result.out());
  }

  private static final String Z =
      "\"type\": \"f32\", \"direction\": \"in\"},"
          + "{\"name\": \"z\", \"kind\": \"buffer\", \"type\": \"f32\", \"direction\": \"out\"}";

  private static void copyMore(Path bundle, String sound, String wrong) throws Exception {
    for (String file : List.of("manifest.json", "saxpy.cpp")) {
      String text = Files.readString(bundle.resolve(file));
      Files.writeString(bundle.resolve(file), text.replace(sound, wrong));
    }
  }

  @Test
  void aSoundKernelHasNoFindings() {
    Result result = check(SAXPY);
    assertEquals("", result.err());
    assertEquals(
        "nothing is wrong, as far as this run shows" + System.lineSeparator(), result.out());
    assertEquals(ExitCode.SUCCESS, result.exitCode());
  }

  @Test
  void aWrongKernelIsShownWithItsLine() throws Exception {
    Result result = check(wrong());
    String out = result.out();
    assertTrue(out.startsWith("memory: kernel saxpy reads outside '"), out);
    assertTrue(out.contains("element 1000 of 1000 (f32), 0 bytes past its end\n"), out);
    assertTrue(out.contains("\n  saxpy.cpp:6: y[i] = fmaf(a, x[i], y[i]);\n"), out);
    assertTrue(out.contains("^~~~\n  by work item (232, 0, 0) of workgroup (3, 0, 0)"), out);
    assertEquals(ExitCode.FOUND, result.exitCode());
  }

  @Test
  void programsReadJson() throws Exception {
    Result result = check(wrong(), "--json");
    JsonArray all = JsonParser.parseString(result.out()).getAsJsonArray();
    assertEquals(1, all.size(), result.out());
    JsonObject finding = all.get(0).getAsJsonObject();
    assertEquals("memory", finding.get("check").getAsString());
    JsonObject place = finding.get("places").getAsJsonArray().get(0).getAsJsonObject();
    assertEquals("saxpy.cpp", place.get("file").getAsString());
    assertEquals(6, place.get("line").getAsInt());
    assertEquals(ExitCode.FOUND, result.exitCode());
  }

  @Test
  void aPageHasTheSourceAndTheElements() throws Exception {
    Path page = folder.resolve("page.html");
    Result result = check(wrong(), "--html", page.toString());
    assertEquals(ExitCode.FOUND, result.exitCode());
    String html = Files.readString(page);
    assertTrue(html.contains("<h2>memory: kernel saxpy reads outside '"), html);
    assertTrue(html.contains("    4    unsigned long long i ="), html);
    assertTrue(html.contains("    5    if (i &lt;= n) {\n<span class=\"at\">    6  "), html);
    assertTrue(html.contains("</mark>"), html);
    assertTrue(
        html.contains("title=\"element 999, written last by work item (231, 0, 0) of workgroup (3"),
        html);
    assertTrue(
        html.contains("outside marked\" title=\"element 1000 is outside the buffer\">1000<"), html);
  }

  @Test
  void aPageThatCannotBeWrittenIsReported() throws Exception {
    Result result = check(wrong(), "--html", folder.resolve("none/page.html").toString());
    assertTrue(result.err().contains("cannot write '"), result.err());
  }

  /** A kernel in Java, in place: what a group reads of the next one may be new or old. */
  public static void smooth(Workgroup group, long n, Floats y) {
    for (long i = group.firstX(); i < group.endX(n - 1); i++) {
      y.set(i, y.get(i) + y.get(i + 1));
    }
  }

  /** Its sound twin, which leaves out what other groups write. */
  public static void halve(Workgroup group, long n, Floats y) {
    for (long i = group.firstX(); i < group.endX(n); i++) {
      y.set(i, y.get(i) / 2);
    }
  }

  private Result checkInJava(String kernel, String... more) throws Exception {
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "smooth", "kernels": [{"name": "%s", "parameters": [
          {"name": "n", "kind": "constant", "type": "u32"},
          {"name": "y", "kind": "buffer", "type": "f32", "direction": "inout"}],
          "workgroupSize": [64], "run": {"items": ["n"], "constants": {"n": "y.length"}}}],
          "variants": [{"format": "java", "class": "%s"}]}
        """
            .formatted(kernel, CheckCommandTest.class.getName()));
    List<String> all =
        new ArrayList<>(
            List.of("check", folder.toString(), "--arg", "y=" + SAXPY.resolve("y.npy")));
    all.addAll(List.of(more));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), all.toArray(String[]::new));
    return new Result(exitCode, out.toString(), err.toString());
  }

  @Test
  void aKernelInJavaIsCheckedOnMockAndOnCpu() throws Exception {
    for (String device : List.of("mock", "cpu://?cache=off")) {
      Result result = checkInJava("smooth", "--device", device);
      assertTrue(
          result
              .out()
              .startsWith(
                  "races: kernel smooth writes element 64 of 'y', which another workgroup reads"
                      + " without an order between them\n  CheckCommandTest.java:"),
          result::toString);
      assertEquals(ExitCode.FOUND, result.exitCode());
      assertEquals(ExitCode.SUCCESS, checkInJava("halve", "--device", device).exitCode());
    }
    Path page = folder.resolve("page.html");
    Result json = checkInJava("smooth", "--device", "mock", "--json", "--html", page.toString());
    JsonObject finding =
        JsonParser.parseString(json.out()).getAsJsonArray().get(0).getAsJsonObject();
    assertEquals(15, finding.get("count").getAsInt());
    assertEquals(2, finding.get("places").getAsJsonArray().size());
    assertTrue(Files.readString(page).contains("CheckCommandTest.smooth"));
  }

  /** Whoever tries a kernel may have no files yet. */
  @Test
  void inputsMayBeZeros() throws Exception {
    Path bundle = wrong();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] some = {"check", bundle.toString(), "--device", "cpu://?cache=off", "--arg", "a=2"};
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), some);
    assertEquals(ExitCode.USAGE, exitCode, err::toString);
    assertTrue(
        err.toString().contains("--arg x=FILE (or --shape x=SIZE,... for zeros)"), err::toString);
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of("--shape", "x=1000", "--shape", "y=1000"));
    exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), all.toArray(String[]::new));
    assertTrue(out.toString().contains("element 1000 of 1000 (f32)"), out + "\n" + err);
    assertEquals(ExitCode.FOUND, exitCode);
  }

  /** An item that ends early leaves outputs unwritten. */
  @Test
  void whatFollowsFromAStrayAccessIsNotReported() throws Exception {
    Path bundle = copy("y[i] = fmaf(a, x[i], y[i])", "z[i] = x[i + 1]");
    copyMore(bundle, "float* y)", "const float* y, float* z)");
    copyMore(bundle, "\"type\": \"f32\", \"direction\": \"inout\"}", Z);
    copyMore(bundle, "\"shapes\": {", "\"shapes\": {\"z\": [1000], ");
    Result result = check(bundle);
    assertTrue(result.out().contains("element 1000 of 1000 (f32)"), result::toString);
    assertTrue(result.out().endsWith("findings: 1" + System.lineSeparator()), result.out());
  }

  @Test
  void otherDevicesAreRefused() throws Exception {
    Result refused = checkInJava("smooth", "--device", "cuda");
    assertEquals(ExitCode.USAGE, refused.exitCode());
    assertTrue(
        refused.err().contains("kernels are checked on cpu and mock, and not"), refused.err());
  }

  @Test
  void anUnknownCheckIsRefused() {
    Result unknown = check(SAXPY, "--checks", "memory,rases");
    assertEquals(ExitCode.USAGE, unknown.exitCode());
    assertTrue(unknown.err().contains("'rases'"), unknown.err());
  }
}
