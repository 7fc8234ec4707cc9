// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
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
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.recording.Recorded.Outcome;
import org.jhal.recording.replay.ReplayTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program is recorded on one device and replayed on others. */
class RecordAndReplayTest {
  private static final int N = 1000;

  @TempDir private Path folder;

  /** Two kernels, the second one many times, by a queue and by a command buffer with a table. */
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
        Sequence sequence = device.createSequence()) {
      Kernel saxpy = executable.kernel("saxpy");
      Kernel affine = executable.kernel("affine");
      var steps = sequence.on(device.queue(0));
      steps.upload(HostMemory.of(x), bufferX);
      steps.upload(HostMemory.of(y), bufferY);
      steps.upload(HostMemory.of(from), a);
      steps.dispatch(saxpy, saxpy.covering(N), Args.of(N, 1.5f, bufferX, bufferY));
      for (int i = 0; i < 5; i++) {
        steps.dispatch(affine, affine.covering(N), Args.of(N, a, b));
        steps.copy(b, a);
      }
      CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      commands.dispatch(affine, affine.covering(N), Args.of(N, Slot.of(0), Slot.of(1)));
      commands.barrier();
      commands.dispatch(affine, affine.covering(N), Args.of(N, Slot.of(1), Slot.of(0)));
      commands.end();
      steps.execute(commands, BindingTable.of(a, b));
      steps.execute(commands, BindingTable.of(b, a));
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
    assertTrue(text.contains("dispatch 3, recorded:affine, differs on mock and cpu"), text);
    assertTrue(text.contains("to[3], a i32: 256 and 257, 1 apart"), text);
    assertTrue(text.contains("1 of 1000 elements differ"), text);
    assertTrue(text.contains("its inputs are equal"), text);
    assertTrue(Files.isRegularFile(found.resolve("bundle/manifest.json")));
    assertTrue(Files.isRegularFile(found.resolve("bundle/scale.h")));
    assertTrue(Files.size(found.resolve("from.npy")) > 4 * N);
    assertTrue(
        text.contains(
            "hal run " + found + "/bundle:affine --device cpu --groups 16,1,1 --arg n=1000"),
        text);
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
    return Recorded.replay(
        new ReplayTool.Options(
            file,
            "mock",
            "mock",
            1,
            0,
            Integer.MAX_VALUE,
            4,
            0,
            false,
            hasNoise,
            Map.of(),
            page,
            null));
  }

  /** The page has what differs, and no name leaves its place. */
  @Test
  void aPageShowsWhatDiffers() throws Exception {
    Recorded.assumeCompiler();
    Path file = record("mock", Recorded.bundle("3 * from[i] + (from[i] == 85 ? 2 : 1)"));
    Path page = folder.resolve("page.html");
    Outcome outcome =
        Recorded.replay(
            new ReplayTool.Options(
                file,
                "mock",
                "cpu://?cache=" + folder.resolve("it's"),
                1,
                0,
                Integer.MAX_VALUE,
                4,
                0,
                false,
                false,
                Map.of(),
                page,
                null));
    assertEquals(6, outcome.exitCode(), outcome.text());
    String html = Files.readString(page);
    assertTrue(html.contains("to[3], a i32: 256 and 257"), html);
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
