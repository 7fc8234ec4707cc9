// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs in examples/programs, as a reader runs them. */
@Timeout(120)
class ProgramsTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path PROGRAMS = ROOT.resolve("examples/programs");
  private static final int MOST_LINES = 60;
  private static final int MOST_LINES_OF_A_STREAM = 50;

  @TempDir private Path folder;

  private static List<String> run(String name, String... arguments) throws Exception {
    String[] all =
        Stream.concat(Stream.of(PROGRAMS.resolve(name + ".java").toString()), Stream.of(arguments))
            .toArray(String[]::new);
    return Outcome.java(ROOT, all).succeeded().out().lines().toList();
  }

  @Test
  void juliaDrawsAPicture() throws Exception {
    Path file = folder.resolve("julia.png");
    assertEquals(List.of("Mock device 0 drew 900 x 600"), run("Julia", "mock", file.toString()));
    BufferedImage picture = ImageIO.read(file.toFile());
    assertNotNull(picture);
    assertEquals(0x010204, picture.getRGB(0, 0) & 0xFFFFFF, "the colour of a corner");
    Set<Integer> colours = new TreeSet<>();
    int alike = 0;
    for (int x = 1; x < 900; x++) {
      for (int y = 1; y < 600; y++) {
        colours.add(picture.getRGB(x, y));
        alike += picture.getRGB(x, y) == picture.getRGB(900 - x, 600 - y) ? 1 : 0;
      }
    }
    assertTrue(colours.size() > 100, () -> colours.size() + " colours");
    // A Julia set is symmetric to the middle, as far as rounding allows.
    assertTrue(alike > 0.9 * 899 * 599, alike + " points equal their mirror image");
  }

  @Test
  void batchesComputesTheSum() throws Exception {
    assertEquals(List.of("200 batches, sum 40000.0"), run("Batches", "mock"));
  }

  /** The same search in plain Java. */
  private static String searched() {
    int vertices = 200_000;
    int[] edges = new Random(1).ints(3 * vertices, 0, vertices).toArray();
    int[] levels = new int[vertices];
    Arrays.fill(levels, -1);
    levels[0] = 0;
    int last = 0;
    int reached = 1;
    Deque<Integer> open = new ArrayDeque<>(List.of(0));
    while (!open.isEmpty()) {
      int vertex = open.remove();
      last = levels[vertex];
      for (int i = 3 * vertex; i < 3 * vertex + 3; i++) {
        if (levels[edges[i]] < 0) {
          levels[edges[i]] = last + 1;
          open.add(edges[i]);
          reached++;
        }
      }
    }
    return reached + " vertices in " + last + " levels";
  }

  @Test
  void searchFindsAllVertices() throws Exception {
    assertEquals(List.of(searched()), run("Search", "mock"));
  }

  @Test
  void solverFindsTheNumbers() throws Exception {
    assertEquals(List.of("20000 numbers are right"), run("Solver", "mock"));
  }

  @Test
  void urgentAnswersBesideLongWork() throws Exception {
    List<String> lines = run("Urgent", "mock");
    assertEquals(3, lines.size(), lines::toString);
    assertTrue(lines.get(0).startsWith("QueueGrant[priority=HIGH, computeUnits=4, "), lines.get(0));
    assertTrue(lines.get(1).startsWith("median "), lines.get(1));
    assertEquals("50 answers", lines.get(2));
  }

  @Test
  void fileStreamTriplesAFile() throws Exception {
    Path in = folder.resolve("in");
    Path out = folder.resolve("out");
    int floats = 4 * (1 << 20) + 5; // more blocks than places, and a part of one
    ByteBuffer numbers = ByteBuffer.allocate(4 * floats).order(ByteOrder.nativeOrder());
    for (int i = 0; i < floats; i++) {
      numbers.putFloat(i);
    }
    Files.write(in, numbers.array());
    assertEquals(
        List.of(floats + " floats"), run("FileStream", "mock", in.toString(), out.toString()));
    ByteBuffer tripled = ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.nativeOrder());
    assertEquals(4 * floats, tripled.remaining());
    for (int i = 0; i < floats; i++) {
      assertEquals(3f * i, tripled.getFloat(), 0.5f * Math.ulp(3f * i), "float " + i);
    }
  }

  @Test
  void serviceAnswersLateAndCancelledRequests() throws Exception {
    assertEquals(
        List.of("160 right", "20 DEADLINE_EXCEEDED", "20 cancelled"), run("Service", "mock"));
  }

  @Test
  void twoDevicesComputesOnBothDevices() throws Exception {
    for (String other : List.of("mock://1?devices=2", "mock://1?devices=2&peers=none")) {
      assertEquals(List.of("7.0 7.0 7.0"), run("TwoDevices", "mock://0?devices=2", other));
    }
  }

  @Test
  void allReduceAddsTheArrays() throws Exception {
    assertEquals(List.of("3.0 3.0"), run("AllReduce", "mock://0?devices=2", "mock://1?devices=2"));
  }

  @Test
  void programsForTwoDevicesPrintTheirUsage() throws Exception {
    for (String name : List.of("TwoDevices", "AllReduce")) {
      Outcome outcome = Outcome.java(ROOT, PROGRAMS.resolve(name + ".java").toString());
      assertEquals(2, outcome.exitCode(), outcome::toString);
      assertTrue(outcome.err().contains("usage: " + name + " URI URI"), outcome::toString);
    }
  }

  @Test
  void pagesContainThePrograms() throws IOException {
    assertShows("many-devices.md", "TwoDevices.java");
    assertShows("collectives.md", "AllReduce.java");
  }

  private static void assertShows(String page, String program) throws IOException {
    String shown = "```java\n" + String.join("\n", lines(PROGRAMS.resolve(program))) + "\n```";
    assertTrue(
        Files.readString(ROOT.resolve("docs").resolve(page)).contains(shown),
        () -> page + " does not show " + program);
  }

  /** What it does in one queue waits for nothing of the other, so that both can work at once. */
  @Test
  void fileStreamWorksInTwoQueuesThatDoNotWaitForEachOther() throws Exception {
    Path in = folder.resolve("in");
    Path recording = folder.resolve("stream.jfr");
    Path settings = folder.resolve("jhal.jfc");
    Files.writeString(settings, Outcome.hal("trace", "settings").succeeded().out());
    Files.write(in, new byte[4 * 5 * (1 << 20)]); // five blocks
    Outcome outcome =
        Outcome.java(
            ROOT,
            "-Xlog:jfr*=off",
            "-XX:StartFlightRecording:settings=" + settings + ",filename=" + recording,
            PROGRAMS.resolve("FileStream.java").toString(),
            "mock",
            in.toString(),
            folder.resolve("out").toString());
    assertEquals(0, outcome.exitCode(), outcome::toString);
    Map<Long, Integer> kernels = new TreeMap<>();
    Map<Long, Set<Long>> queues = new TreeMap<>(); // by timeline
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      String name = event.getEventType().getName();
      if (name.equals("org.jhal.Submission") && event.getLong("kernel") != 0) {
        kernels.merge(event.getLong("queue"), 1, Integer::sum);
      } else if (name.equals("org.jhal.TimelineEdge") && event.getLong("queue") != 0) {
        queues
            .computeIfAbsent(event.getLong("timeline"), timeline -> new TreeSet<>())
            .add(event.getLong("queue"));
      }
    }
    assertEquals(List.of(3, 2), List.copyOf(kernels.values()));
    assertTrue(queues.size() >= 4, queues::toString);
    queues.forEach((timeline, users) -> assertEquals(1, users.size(), () -> "" + queues));
  }

  /** In a folder whose bundle has another kernel, so that each request fails. */
  @Test
  void serviceExitsIfItsRequestsFail() throws Exception {
    Path bundle = Files.createDirectories(folder.resolve("examples/saxpy"));
    for (String file : List.of("manifest.json", "edges.cpp")) {
      Files.copy(ROOT.resolve("examples/edges").resolve(file), bundle.resolve(file));
    }
    Outcome outcome = Outcome.java(folder, PROGRAMS.resolve("Service.java").toString(), "mock");
    assertEquals(1, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains("saxpy"), outcome::toString);
  }

  /** Programs are meant to be read. */
  @Test
  void programsAreShort() throws IOException {
    try (Stream<Path> files = Files.list(PROGRAMS)) {
      List<Path> programs = files.collect(Collectors.toList());
      assertEquals(9, programs.size());
      for (Path program : programs) {
        boolean isStream = program.endsWith("FileStream.java");
        int most = isStream ? MOST_LINES_OF_A_STREAM : MOST_LINES;
        assertTrue(lines(program).size() <= most, program::toString);
      }
    }
  }

  /** The lines of a program but for its first one, which names the licence. */
  private static List<String> lines(Path program) throws IOException {
    List<String> lines = Files.readAllLines(program);
    assertTrue(lines.get(0).contains("SPDX-License-Identifier"), program::toString);
    return lines.subList(1, lines.size());
  }
}
