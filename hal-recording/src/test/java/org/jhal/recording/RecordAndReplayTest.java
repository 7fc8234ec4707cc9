// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jhal.AcquiredQueue;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueRequest;
import org.jhal.Sequence;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.recording.Recorded.Outcome;
import org.jhal.recording.format.BundleFiles;
import org.jhal.recording.format.Recording;
import org.jhal.recording.replay.ReplayTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program is recorded on one device and replayed on others. */
class RecordAndReplayTest {
  private static final int N = 1000;

  @TempDir private Path folder;

  /** A queue that is acquired twice under one name, and one with a share. */
  @Test
  void acquiredQueuesAreReplayedByAcquiring() throws Exception {
    Path file = folder.resolve("ranks.jrec");
    QueueRequest high = QueueRequest.DEFAULT.withPriority(QueueRequest.Priority.HIGH);
    QueueRequest part = high.withShare(0.25).withName("part");
    byte[] read = new byte[16];
    try (Device device = Hal.openDevice("mock://0?record=" + file);
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE)) {
      for (QueueRequest request : List.of(high, QueueRequest.DEFAULT, part)) {
        try (AcquiredQueue queue = device.acquireQueue(request);
            Sequence sequence = device.createSequence()) {
          sequence.on(queue).fill(buffer, FillPattern.of8(request == part ? 3 : 1));
          sequence.on(queue).readback(buffer, HostMemory.of(read));
          sequence.await(Duration.ofSeconds(20));
        }
      }
    }
    Recording recording = Recording.read(file);
    assertEquals(high, recording.queue(0).request());
    assertEquals(QueueRequest.DEFAULT, recording.queue(1).request());
    assertEquals(recording.queue(0).name(), recording.queue(1).name());
    assertEquals(part, recording.queue(2).request());
    assertEquals(4, Objects.requireNonNull(recording.queue(2).grant()).computeUnits());
    assertEquals(3, read[15]);
    for (String on : List.of("mock", "cpu://?threads=1")) {
      Outcome outcome = Recorded.replay(file, on, null, null);
      assertEquals(0, outcome.exitCode(), outcome.text());
      assertTrue(outcome.text().contains("readbacks: 3, all with the bytes"), outcome.text());
    }
  }

  /**
   * Two kernels, the second one many times, by a queue and by a command buffer with a table, and
   * each second time over a grid that is in memory.
   */
  private Path record(String of, ExecutableSource bundle) throws InterruptedException {
    Path file = folder.resolve("run.jrec");
    float[] x = new float[N];
    float[] y = new float[N];
    int[] from = new int[N];
    for (int i = 0; i < N; i++) {
      x[i] = i * 0.25f;
      y[i] = -i;
      from[i] = i * i;
    }
    try (Device device = Hal.openDevice(Recorded.uri(of, file));
        Executable executable = device.loadExecutable(bundle);
        DeviceBuffer bufferX = device.allocate(ElementType.F32, N);
        DeviceBuffer bufferY = device.allocate(ElementType.F32, N);
        DeviceBuffer a = device.allocate(ElementType.I32, N);
        DeviceBuffer b = device.allocate(ElementType.I32, N);
        DeviceBuffer grid = device.allocate(ElementType.U32, 3);
        Sequence sequence = device.createSequence()) {
      Kernel saxpy = executable.kernel("saxpy");
      Kernel affine = executable.kernel("affine");
      var steps = sequence.on(device.queue(0));
      steps.upload(HostMemory.of(x), bufferX);
      steps.upload(HostMemory.of(y), bufferY);
      steps.upload(HostMemory.of(from), a);
      steps.upload(HostMemory.of(new int[] {affine.covering(N).x(), 1, 1}), grid);
      steps.dispatch(saxpy, saxpy.covering(N), Args.of(N, 1.5f, bufferX, bufferY));
      for (int i = 0; i < 5; i++) {
        Args args = Args.of(N, a, b);
        if (i % 2 == 0) {
          steps.dispatch(affine, IndirectWorkgroups.of(grid), args);
        } else {
          steps.dispatch(affine, affine.covering(N), args);
        }
        steps.copy(b, a);
      }
      CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      commands.label("forth");
      commands.dispatch(affine, affine.covering(N), Args.of(N, Slot.of(0), Slot.of(1)));
      commands.barrier();
      commands.label("back");
      commands.dispatch(
          affine, IndirectWorkgroups.of(Slot.of(2)), Args.of(N, Slot.of(1), Slot.of(0)));
      commands.end();
      steps.execute(commands, BindingTable.of(a, b, grid));
      steps.execute(commands, BindingTable.of(b, a, grid));
      float[] result = new float[N];
      int[] results = new int[N];
      steps.readback(bufferY, HostMemory.of(result));
      steps.readback(a, HostMemory.of(results));
      sequence.await();
      commands.close();
      assertEquals(1.5f * x[7] + y[7], result[7]);
    }
    return file;
  }

  @Test
  void aReplayGivesTheRecordedBytes() throws InterruptedException {
    Path file = record("mock", Recorded.bundle(Recorded.RIGHT));
    Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().contains("dispatches on mock: 10"), outcome.text());
    for (String row :
        new String[] {"forth: .*affine +2", "back: .*affine +2", "recorded:affine +5"}) {
      assertTrue(
          outcome.text().lines().anyMatch(line -> line.matches("  " + row + " dispatches.*")),
          () -> row + " in " + outcome.text());
    }
    assertTrue(outcome.text().contains("readbacks: 2, all with the bytes"), outcome.text());
  }

  @Test
  void twoDevicesAgree() throws InterruptedException {
    Recorded.assumeCompiler();
    Path file = record("mock", Recorded.bundle(Recorded.RIGHT));
    Outcome outcome = Recorded.replay(file, "mock", "cpu", null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().contains("10 dispatches agree on mock and cpu"), outcome.text());
  }

  /** The kernel in C++ is wrong for one value, which comes up in the third step only. */
  @Test
  void theFirstWrongDispatchIsNamed() throws Exception {
    Recorded.assumeCompiler();
    // Element 3 is 9, 28, 85, 256, ...
    Path file = record("mock", Recorded.bundle("3 * from[i] + (from[i] == 85 ? 2 : 1)"));
    Path found = folder.resolve("found");
    Outcome outcome = Recorded.replay(file, "mock", "cpu", found);
    assertEquals(6, outcome.exitCode(), outcome.text());
    String text = outcome.text();
    assertTrue(
        text.contains("dispatch 3, recorded:affine, differs on mock (java) and cpu (gpu-c++)"),
        text);
    assertTrue(text.contains("to[3], an i32: 256 and 257, 1 apart"), text);
    assertTrue(text.contains("1 of 1000 elements differ"), text);
    assertTrue(text.contains("its inputs are equal"), text);
    assertTrue(Files.isRegularFile(found.resolve("bundle/manifest.json")));
    assertTrue(Files.isRegularFile(found.resolve("bundle/scale.h")));
    assertTrue(Files.size(found.resolve("from.npy")) > 4 * N);
    assertTrue(
        text.contains(
            "./hal run " + found + "/bundle:affine --device cpu --groups 16,1,1 --arg n=1000"),
        text);
  }

  /** Both kernels in C++ are wrong: one in its only dispatch, the other in some of its nine. */
  @Test
  void allWrongDispatchesAreCounted() throws Exception {
    Recorded.assumeCompiler();
    Path file =
        record("mock", Recorded.bundle("3 * from[i] + (from[i] == 85 || from[i] == 2308 ? 2 : 1)"));
    Path found = folder.resolve("found");
    Path page = folder.resolve("page.html");
    Outcome outcome =
        Recorded.run(
            new ReplayTool.Options(
                file,
                "mock",
                "cpu",
                1,
                0,
                Integer.MAX_VALUE,
                0,
                0,
                false,
                true,
                false,
                Map.of(),
                page,
                found,
                "./hal"));
    assertEquals(6, outcome.exitCode(), outcome.text());
    String text = outcome.text();
    assertTrue(text.contains("dispatch 3, recorded:affine, differs"), text);
    assertFalse(text.contains("dispatch 5"), text); // one dispatch of each kernel is described
    assertTrue(text.contains("2 of 10 dispatches differ on mock and cpu"), text);
    assertTrue(
        text.matches(
            "(?s).*affine +9 dispatches, +9000 elements, .*, 3 of them in 2 dispatches that differ\\R.*"),
        text);
    assertTrue(text.matches("(?s).*saxpy +1 dispatches, +1000 elements, 0 not equal.*"), text);
    assertTrue(text.contains("to run it alone"), text);
    assertTrue(Files.readString(page).contains("they part: dispatch 3, recorded:affine"));
  }

  /** Two buffers of one dispatch differ; what was tried is in the folder, also when it is gone. */
  @Test
  void allBuffersThatDifferAreListed() throws Exception {
    Recorded.assumeCompiler();
    Path file = folder.resolve("two.jrec");
    try (Device device = Hal.openDevice(Recorded.uri("cpu", file));
        Executable executable = device.loadExecutable(twoOutputs(""));
        DeviceBuffer a = device.allocate(ElementType.I32, 64).named("heights");
        DeviceBuffer b = device.allocate(ElementType.I32, 64);
        Sequence sequence = device.createSequence()) {
      Kernel both = executable.kernel("both");
      sequence.on(device.queue(0)).dispatch(both, both.covering(64), Args.of(a, b));
      sequence.await();
    }
    Path changed = Files.createDirectory(folder.resolve("changed"));
    Map<String, byte[]> files = write(changed, twoOutputs("+ (i > 60) "));
    Path found = folder.resolve("it's found");
    Outcome outcome =
        Recorded.replay(file, "cpu", "cpu", 0, false, Map.of("two", changed), null, found);
    assertEquals(6, outcome.exitCode(), outcome.text());
    String text = outcome.text();
    assertTrue(
        text.contains("a[61] 'heights', an i32: 61 and 62, 1 apart; 3 of 64 elements differ"),
        text);
    assertTrue(text.contains("b[0], an i32: 64 and 66, 2 apart; 64 of 64 elements differ"), text);
    assertTrue(text.contains("alone: ./hal run '" + found.toString().replace("'", "'\\''")), text);
    for (Map.Entry<String, byte[]> ran : files.entrySet()) {
      Path copy = found.resolve("substitute").resolve(ran.getKey());
      assertArrayEquals(ran.getValue(), Files.readAllBytes(copy), ran.getKey());
    }
    String script = Files.readString(found.resolve("run.sh"));
    assertTrue(script.contains(" run bundle:both --device cpu "), script);
    assertTrue(script.contains(" run substitute:both --device cpu "), script);
    assertTrue(script.contains("--out a=a-second-alone.npy --out b=b-second-alone.npy"), script);
    for (String name : List.of("a-first.npy", "a-second.npy", "b-first.npy", "b-second.npy")) {
      assertTrue(Files.isRegularFile(found.resolve(name)), name);
    }
  }

  private static Map<String, byte[]> write(Path folder, ExecutableSource bundle)
      throws IOException {
    Map<String, byte[]> files = BundleFiles.read(bundle).files();
    for (Map.Entry<String, byte[]> written : files.entrySet()) {
      Files.write(folder.resolve(written.getKey()), written.getValue());
    }
    return files;
  }

  /** A difference that is small beside another number of the buffer, which may itself be wrong. */
  @Test
  void theLargestNumberIsNamedByWhichADifferenceIsSmall() throws Exception {
    Recorded.assumeCompiler();
    Path file = folder.resolve("small.jrec");
    try (Device device = Hal.openDevice(Recorded.uri("cpu", file));
        Executable executable = device.loadExecutable(small("0.001f"));
        DeviceBuffer y = device.allocate(ElementType.F32, 2);
        Sequence sequence = device.createSequence()) {
      Kernel small = executable.kernel("small");
      sequence.on(device.queue(0)).dispatch(small, Workgroups.of(1), Args.of(y));
      sequence.await();
    }
    Path changed = Files.createDirectory(folder.resolve("changed"));
    var unused = write(changed, small("0.002f"));
    Outcome outcome =
        Recorded.replay(file, "cpu", "cpu", 4, false, Map.of("small", changed), null, null);
    assertEquals(6, outcome.exitCode(), outcome.text());
    String expected =
        "1 of 2 elements differ; near enough by units of the largest number of the buffer,"
            + " 1000000.0 (scaled)";
    assertTrue(outcome.text().contains(expected), outcome.text());
  }

  private static ExecutableSource small(String number) {
    return ExecutableSource.builder("small")
        .kernel("small", 1, Parameter.out("y", ElementType.F32))
        .cpp(
            "extern \"C\" __global__ void small(float* y) { y[0] = %s; y[1] = 1e6f; }"
                .formatted(number))
        .build();
  }

  private static ExecutableSource twoOutputs(String change) {
    return ExecutableSource.builder("two")
        .kernel(
            "both", 64, Parameter.out("a", ElementType.I32), Parameter.out("b", ElementType.I32))
        .cpp(
            """
            extern "C" __global__ void both(int* a, int* b) {
              int i = threadIdx.x;
              a[i] = i %s;
              b[i] = i + 64 %s;
            }
            """
                .formatted(change, change.isEmpty() ? "" : "+ 2"))
        .build();
  }

  /** A kernel that differs from itself, and one whose results part by as little. */
  @Test
  void noiseIsLearned() throws InterruptedException {
    Path file = folder.resolve("noisy.jrec");
    ExecutableSource bundle =
        ExecutableSource.builder("noisy")
            .kernel(
                "noisy",
                64,
                Parameter.constant("n", ElementType.U32),
                Parameter.in("x", ElementType.F32),
                Parameter.out("y", ElementType.F32))
            .java(Kernels.class)
            .build();
    try (Device device = Hal.openDevice(Recorded.uri("mock", file));
        Executable executable = device.loadExecutable(bundle);
        DeviceBuffer x = device.allocate(ElementType.F32, 64);
        DeviceBuffer y = device.allocate(ElementType.F32, 64);
        Sequence sequence = device.createSequence()) {
      Kernel noisy = executable.kernel("noisy");
      var steps = sequence.on(device.queue(0));
      float[] values = new float[64];
      Arrays.fill(values, 1000);
      steps.upload(HostMemory.of(values), x);
      for (int i = 0; i < 3; i++) {
        steps.dispatch(noisy, noisy.covering(64), Args.of(64, x, y));
      }
      sequence.await();
    }
    Path page = folder.resolve("page.html");
    Outcome outcome = compare(file, false, page);
    assertEquals(6, outcome.exitCode(), outcome.text());
    outcome = compare(file, true, page);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(
        outcome.text().contains("noisy:noisy, y differs from run to run by up to"), outcome.text());
  }

  private static Outcome compare(Path file, boolean hasNoise, Path page)
      throws InterruptedException {
    return Recorded.replay(file, "mock", "mock", 4, hasNoise, Map.of(), page, null);
  }

  /** The page has what differs, and no name leaves its place. */
  @Test
  void aPageShowsWhatDiffers() throws Exception {
    Recorded.assumeCompiler();
    Path file = record("mock", Recorded.bundle("3 * from[i] + (from[i] == 85 ? 2 : 1)"));
    Path page = folder.resolve("page.html");
    Outcome outcome =
        Recorded.replay(
            file, "mock", "cpu://?cache=" + folder.resolve("it's"), 4, false, Map.of(), page, null);
    assertEquals(6, outcome.exitCode(), outcome.text());
    String html = Files.readString(page);
    assertTrue(html.contains("to[3], an i32: 256 and 257"), html);
    assertTrue(html.contains("here they part"), html);
    assertTrue(html.contains("dispatch 3, recorded:affine: "), html);
    assertTrue(html.contains("<figcaption>the difference<br>0.0 to 1.0"), html);
    assertTrue(html.contains("<text x=\"0\" y=\"34\" font-size=\"12\">1 to 1</text>"), html);
    assertTrue(html.contains("it&#39;s"), html);
    assertFalse(html.contains("src=") || html.contains("href="), html);
    var unused = // it is well-formed
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(
                    html.replace("<!DOCTYPE html>", "")
                        .replace("<meta charset=\"utf-8\">", "")
                        .replace("<br>", " ")
                        .strip()
                        .getBytes(StandardCharsets.UTF_8)));
  }

  /** What the host writes through a mapping, before each use. */
  @Test
  void mappedMemoryIsRecorded() throws InterruptedException {
    Recorded.assumeCompiler();
    Path file = folder.resolve("run.jrec");
    try (Device device = Hal.openDevice(Recorded.uri("mock", file));
        Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer from = device.allocate(4L * N, BufferParams.HOST);
        DeviceBuffer to = device.allocate(4L * N, BufferParams.HOST);
        TimelineSemaphore done = device.createSemaphore()) {
      Kernel affine = executable.kernel("affine");
      try (DeviceBuffer.Mapping in = from.map(DeviceBuffer.MapMode.WRITE);
          DeviceBuffer.Mapping out = to.map(DeviceBuffer.MapMode.READ_WRITE)) {
        for (int round = 1; round <= 3; round++) {
          in.bytes().putInt(4 * round, 100 * round);
          in.flush();
          device
              .queue(0)
              .dispatch(
                  round == 1 ? Fence.NONE : done.at(round - 1),
                  done.at(round),
                  affine,
                  affine.covering(N),
                  Args.of(N, from, to));
          done.await(round);
          out.invalidate();
          assertEquals(300 * round + 1, out.bytes().getInt(4 * round));
        }
      }
      int[] result = new int[N];
      device.queue(0).readback(done.at(3), done.at(4), to, 0, HostMemory.of(result));
      done.await(4);
      assertEquals(901, result[3]);
    }
    Outcome outcome = Recorded.replay(file, "cpu", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().contains("readbacks: 1, all with the bytes"), outcome.text());
  }
}
