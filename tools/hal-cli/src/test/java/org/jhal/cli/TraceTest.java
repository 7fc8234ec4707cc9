// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code hal trace}. */
@Timeout(300)
class TraceTest {
  @TempDir private Path folder;

  private Path file(String name) {
    return folder.resolve(name);
  }

  private Path recording() throws Exception {
    Path made = file("made.jfr");
    Outcome outcome = hal("trace", "run", "--jfr", made.toString(), "--", "pipeline");
    assertEquals(0, outcome.exitCode(), outcome::toString);
    return made;
  }

  @Test
  void recordsACommandWithAnArrowForEachStage() throws Exception {
    Outcome outcome =
        hal(
            "trace",
            "run",
            "--out",
            file("t.json").toString(),
            "--html",
            file("t.html").toString(),
            "--svg",
            file("t.svg").toString(),
            "--",
            "pipeline");
    assertEquals(0, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.out().contains("sums are correct"), outcome::toString);
    assertTrue(outcome.err().contains(" operations, "), outcome::toString);
    String json = Files.readString(file("t.json"));
    for (String name : new String[] {"generate", "smooth", "sum", "readback", "mock-0-q0"}) {
      assertTrue(json.contains(name), name);
    }
    String svg = Files.readString(file("t.svg"));
    var unused =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file("t.svg").toFile());
    assertTrue(svg.contains("class=\"arrow\""), svg);
    String page = Files.readString(file("t.html"));
    assertTrue(page.contains("class=\"arrow\"") && page.contains("<script>"), page);
    assertFalse(page.replace("http://www.w3.org/2000/svg", "").contains("http"), "needs a network");
    assertFalse(page.contains("@SVG@") || page.contains("@SUMMARY@"), page);
    assertTrue(page.contains("Critical path: "), page);
    assertTrue(page.contains("<title>load "), "no load of a bundle: " + page);
    assertTrue(outcome.err().contains("Critical path: "), outcome::toString);
  }

  @Test
  void sumsARecordingUp() throws Exception {
    Path made = recording();
    Outcome text = hal("trace", "summary", made.toString()).succeeded();
    assertTrue(text.out().startsWith("5 operations in "), text::toString);
    for (String title : new String[] {"Work ", "Device ", "Longest waits ", "Critical path: "}) {
      assertTrue(text.out().contains("\n" + title), () -> "no " + title + text);
    }
    JsonObject json =
        JsonParser.parseString(hal("trace", "summary", "--json", made.toString()).succeeded().out())
            .getAsJsonObject();
    assertEquals(5, json.get("operations").getAsLong());
    assertEquals(5, json.getAsJsonArray("work").size(), json::toString);
    assertTrue(json.getAsJsonObject("path").get("took").getAsLong() > 0, json::toString);
    hal("trace", "summary", file("none").toString()).failed(2, "NOT_FOUND", "none");
    Outcome converted =
        hal("trace", "convert", made.toString(), "--svg", file("t.svg").toString()).succeeded();
    assertTrue(converted.out().contains(text.out()), converted::toString);
  }

  @Test
  void writesTraceJsonByDefaultAndReturnsTheCommandsExitCode() throws Exception {
    Outcome outcome =
        Outcome.java(folder, Main.class.getName(), "trace", "run", "--", "pipeline", "mock");
    assertEquals(0, outcome.exitCode(), outcome::toString);
    assertTrue(Files.size(folder.resolve("trace.json")) > 1_000);
    for (String command : new String[] {"info nothing-such", "no-such-command"}) {
      int expected = hal(command.split(" ")).exitCode();
      List<String> arguments = new ArrayList<>(List.of("trace", "run", "--out"));
      arguments.addAll(List.of(file("t.json").toString(), "--"));
      arguments.addAll(List.of(command.split(" ")));
      assertEquals(expected, hal(arguments.toArray(new String[0])).exitCode(), command);
    }
  }

  /**
   * In a process of its own: other tests leave devices open, whose names all recordings of their
   * process have.
   */
  @Test
  void refusesARecordingWithoutEventsOfJhal() throws Exception {
    Path other = file("other.jfr");
    String start = "-XX:StartFlightRecording:filename=" + other;
    Outcome recorded = Outcome.java(folder, start, Main.class.getName(), "version");
    assertEquals(0, recorded.exitCode(), recorded::toString);
    Outcome outcome = hal("trace", "convert", other.toString(), "--out", file("t.json").toString());
    assertEquals(2, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains("has no event of JHAL"), outcome::toString);
    assertFalse(Files.exists(file("t.json")), "half a trace");
  }

  @Test
  void refusesAFileThatIsNoRecording() throws Exception {
    Path text = file("text.jfr");
    for (String content : new String[] {"", "FLR", "{\"version\": 1}", "x".repeat(100_000)}) {
      Files.writeString(text, content);
      Outcome outcome = hal("trace", "convert", text.toString(), "--svg", file("t.svg").toString());
      assertEquals(2, outcome.exitCode(), outcome::toString);
      assertTrue(outcome.err().contains("no recording of the flight recorder"), outcome::toString);
    }
    String none = file("none").toString();
    hal("trace", "convert", none, "--out", "t.json").failed(2, "NOT_FOUND", none);
    hal("trace", "convert", folder.toString(), "--out", "t.json")
        .failed(2, "INVALID_ARGUMENT", "it is a folder");
  }

  /** A recording that is truncated or has changed bytes is refused, or read as far as possible. */
  @Test
  void readsOrRefusesADamagedRecording() throws Exception {
    byte[] whole = Files.readAllBytes(recording());
    for (int i = 0; i < 40; i++) {
      convertDamaged(Arrays.copyOf(whole, whole.length / 40 * i + i), "cut off");
    }
    byte[] damages = {0, 0x7f, (byte) 0xff, 0x55};
    int step = whole.length / 400;
    for (int at = 0; at < whole.length; at += at < 100 ? 1 : step) {
      byte[] bytes = whole.clone();
      bytes[at] ^= damages[at % 4] == 0 ? bytes[at] : damages[at % 4];
      convertDamaged(bytes, "byte " + at);
    }
  }

  /** The JDK's reader expects names of Java classes, and throws errors for invalid ones. */
  @Test
  void readsOrRefusesARecordingWithADamagedName() throws Exception {
    byte[] whole = Files.readAllBytes(recording());
    String text = new String(whole, StandardCharsets.ISO_8859_1);
    Matcher name =
        Pattern.compile("(org\\.jhal|jdk|jdk\\.types|java\\.lang)\\.[A-Z]").matcher(text);
    int count = 0;
    while (name.find()) {
      count++;
      byte[] bytes = whole.clone();
      bytes[name.end() - 1] = (byte) ' ';
      if (count % 2 == 0) {
        bytes[name.end() - 2] = (byte) '/';
      }
      convertDamaged(bytes, name.group());
    }
    assertTrue(count > 100, "names: " + count);
  }

  /** A text begins with its encoding, of which 0 means that there is none. */
  @Test
  void readsARecordingWithoutOneOfItsNames() throws Exception {
    byte[] whole = Files.readAllBytes(recording());
    Matcher name =
        Pattern.compile(
                "[\\x03-\\x05][\\x09-\\x12](mock-[01]-q[01]|pipeline:(generate|smooth|sum))")
            .matcher(new String(whole, StandardCharsets.ISO_8859_1));
    int count = 0;
    while (name.find()) {
      count++;
      byte[] bytes = whole.clone();
      bytes[name.start()] = 0;
      convertDamaged(bytes, "no " + name.group(1));
    }
    assertTrue(count >= 7, "names of queues, kernels and threads: " + count);
  }

  private void convertDamaged(byte[] recording, String damage) throws Exception {
    Path damaged = Files.write(file("damaged.jfr"), recording);
    Outcome outcome =
        hal("trace", "convert", damaged.toString(), "--out", file("t.json").toString());
    assertFalse(outcome.err().contains("INTERNAL"), () -> damage + ": " + outcome);
    assertTrue(
        outcome.exitCode() == 0
            || outcome.exitCode() == 2
            || outcome.err().contains("RESOURCE_EXHAUSTED"),
        () -> damage + ": " + outcome);
  }

  @Test
  void aFullDiskIsReported() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/full")), "this system has no /dev/full to write to");
    Path made = recording();
    for (String form : new String[] {"--out", "--html", "--svg"}) {
      Outcome outcome = hal("trace", "convert", made.toString(), form, "/dev/full");
      assertEquals(1, outcome.exitCode(), outcome::toString);
      assertTrue(outcome.err().contains("RESOURCE_EXHAUSTED"), outcome::toString);
      assertTrue(outcome.err().contains("/dev/full"), outcome::toString);
    }
  }

  @Test
  void reportsAFullDiskForEveryOutput() {
    assumeTrue(Files.exists(Path.of("/dev/full")), "this system has no /dev/full to write to");
    for (String output : new String[] {"--jfr", "--out"}) {
      Outcome outcome = hal("trace", "run", output, "/dev/full", "--", "pipeline");
      assertEquals(1, outcome.exitCode(), outcome::toString);
      assertTrue(outcome.err().contains("RESOURCE_EXHAUSTED"), outcome::toString);
      assertTrue(outcome.err().contains("/dev/full"), outcome::toString);
    }
  }

  /** On a full disk, the recorder would end the JVM. */
  @Test
  void doesNotStartARecordingThatMayFillTheDisk() {
    Outcome outcome = hal("trace", "run", "--max-size", "8000t", "--", "pipeline");
    assertEquals(1, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains("RESOURCE_EXHAUSTED"), outcome::toString);
    assertFalse(outcome.out().contains("sums are correct"), outcome::toString);
    assertEquals(
        2, hal("trace", "run", "--max-size", "much", "--", "pipeline").exitCode(), "no size");
  }

  /** In a process of its own, as above. */
  @Test
  void refusesToTraceACommandWithoutADevice() throws Exception {
    String trace = file("t.json").toString();
    Outcome outcome =
        Outcome.java(
            folder,
            Main.class.getName(),
            "trace",
            "run",
            "--out",
            trace,
            "--",
            "trace",
            "settings");
    assertEquals(2, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains("'trace settings' used no device"), outcome::toString);
    assertFalse(Files.exists(file("t.json")), "a trace of nothing");
  }

  /** The old recording is replaced only when the new one is complete. */
  @Test
  void keepsTheOldRecordingIfTheNewOneCannotBeWritten() throws Exception {
    Path made = recording();
    byte[] before = Files.readAllBytes(made);
    Outcome outcome =
        hal("trace", "run", "--jfr", file("none").resolve("x.jfr").toString(), "--", "pipeline");
    outcome.failed(2, "NOT_FOUND", "x.jfr");
    Outcome recorded = hal("trace", "run", "--jfr", made.toString(), "--", "pipeline");
    assertEquals(0, recorded.exitCode(), recorded::toString);
    assertFalse(Arrays.equals(before, Files.readAllBytes(made)));
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(made), files.toList(), "parts of recordings");
    }
  }

  /** At once, since a run may take hours. */
  @Test
  void reportsAnUnwritableOutputBeforeTheCommandRuns() throws Exception {
    String missing = file("none").resolve("t").toString();
    for (String option : new String[] {"--out", "--html", "--svg", "--jfr"}) {
      // failed() also says that the command has printed nothing
      hal("trace", "run", option, missing, "--", "pipeline").failed(2, "NOT_FOUND", missing);
      hal("trace", "run", option, folder.toString(), "--", "pipeline").failed(2, "is a folder");
    }
    String good = file("t.json").toString();
    hal("trace", "run", "--out", good, "--svg", missing, "--", "pipeline").failed(2, "NOT_FOUND");
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList(), "parts of outputs");
    }
  }

  @Test
  void refusesRepeatedOutputsAndAnOutputOverTheInput() throws Exception {
    Path made = recording();
    byte[] before = Files.readAllBytes(made);
    Path link = Files.createSymbolicLink(file("link.jfr"), made);
    Path same = Files.createLink(file("same.jfr"), made);
    for (Path name :
        List.of(made, link, same, folder.resolve("../" + folder.getFileName() + "/made.jfr"))) {
      hal("trace", "convert", made.toString(), "--out", name.toString())
          .failed(2, "INVALID_ARGUMENT", "over its recording");
    }
    String t = file("t").toString();
    hal("trace", "convert", made.toString(), "--out", t, "--html", t).failed(2, "two outputs");
    hal("trace", "run", "--jfr", t, "--svg", t, "--", "pipeline").failed(2, "two outputs");
    Files.createSymbolicLink(file("here"), folder);
    hal("trace", "run", "--jfr", t, "--svg", file("here").resolve("t").toString(), "--", "pipeline")
        .failed(2, "two outputs");
    assertArrayEquals(before, Files.readAllBytes(made));
    assertFalse(Files.exists(file("t")));
  }

  @Test
  void explainsWrongUsage() {
    assertEquals(2, hal("trace").exitCode());
    assertEquals(2, hal("trace", "run").exitCode());
    hal("trace", "convert", "a.jfr", "--svg", "a.svg", "--width", "319")
        .failed(2, "--width: at least 320, not 319");
    hal("trace", "convert", "a.jfr").failed(2, "--out, --html or --svg is missing (see hal trace");
    hal("trace", "run", "--out", "a", "--out", "b", "--", "pipeline")
        .failed(2, "option '--out' (FILE) should be specified only once (see hal trace run");
  }

  @Test
  void printsSettingsThatTheRecorderAccepts() throws Exception {
    Path settings = file("jhal.jfc");
    Files.writeString(settings, hal("trace", "settings").succeeded().out());
    Path made = file("by-option.jfr");
    Outcome run =
        Outcome.java(
            folder,
            "-XX:StartFlightRecording:settings=" + settings + ",filename=" + made,
            Main.class.getName(),
            "pipeline");
    assertEquals(0, run.exitCode(), run::toString);
    Outcome outcome = hal("trace", "convert", made.toString(), "--out", file("t.json").toString());
    assertEquals(0, outcome.exitCode(), outcome::toString);
    assertTrue(Files.readString(file("t.json")).contains("smooth"));
  }
}
