// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;

/** Kernels over pictures of all sizes write the same as items with stacks of their own. */
@NeedsCompiler
class PicturesTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final int[][] SIZES = {
    {1, 1}, {7, 5}, {16, 4}, {33, 70}, {640, 9}, {1000, 37}, {2100, 11}, {4100, 5}
  };

  private static final Workgroups SIZE = new Workgroups(16, 4, 1);

  /** Whether its items share calls. */
  private record Part(String name, boolean isShared, String text) {}

  private static List<Part> parts(List<String> macros) throws Exception {
    try (InputStream in = PicturesTest.class.getResourceAsStream("pictures.cpp")) {
      String all = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      String[] texts = all.split("//@ ");
      macros.add(texts[0]);
      List<Part> parts = new ArrayList<>();
      for (String text : List.of(texts).subList(1, texts.length)) {
        String[] head = text.lines().findFirst().orElseThrow().split(" ");
        String body = // names of one part say something about all parts
            text.substring(text.indexOf('\n') + 1)
                .replaceAll("\\b(at|gray|set|one|two|column)\\b", "$1_" + head[0]);
        parts.add(new Part(head[0], head[1].equals("shared"), body));
      }
      return parts;
    }
  }

  private static ExecutableSource source(List<Part> parts, String macros) {
    BundleBuilder bundle = ExecutableSource.builder("pictures");
    StringBuilder text = new StringBuilder(macros);
    for (Part part : parts) {
      bundle.kernel(
          part.name,
          SIZE,
          0,
          Parameter.in("in", U8),
          Parameter.inout("out", I32),
          Parameter.constant("width", I32),
          Parameter.constant("height", I32));
      text.append("namespace of_" + part.name + " {\n" + part.text + "}\n");
    }
    bundle.cpp(text.toString(), FormRun.MOST);
    parts.forEach(part -> bundle.entry(part.name, "of_" + part.name + "::" + part.name));
    return bundle.build();
  }

  /** What each kernel writes, for each size. */
  private static Map<String, int[]> written(String options) throws Exception {
    List<String> macros = new ArrayList<>();
    List<Part> parts = parts(macros);
    Map<String, int[]> written = new LinkedHashMap<>();
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=2&" + options);
        Executable kernels = device.loadExecutable(source(parts, macros.get(0)))) {
      for (int[] size : SIZES) {
        for (Part part : parts) {
          String name = part.name + " " + Arrays.toString(size);
          written.put(name, run(device, kernels, part.name, size));
        }
      }
    }
    return written;
  }

  private static int[] run(Device device, Executable kernels, String name, int[] size)
      throws InterruptedException {
    int count = size[0] * size[1];
    byte[] input = new byte[count];
    new Random(count).nextBytes(input);
    int[] output = new int[count];
    Arrays.fill(output, -7);
    try (DeviceBuffer from = device.allocate(count, BufferParams.DEVICE);
        DeviceBuffer to = device.allocate(4L * count, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      var queue = device.queue(0);
      Args args = Args.of(from, to, size[0], size[1]);
      Workgroups groups = new Workgroups((size[0] + 15) / 16, (size[1] + 3) / 4, 1);
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(input), from, 0));
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(output), to, 0));
      steps.step(
          (waits, signals) -> queue.dispatch(waits, signals, kernels.kernel(name), groups, args));
      steps.step((waits, signals) -> queue.readback(waits, signals, to, 0, HostMemory.of(output)));
      steps.await(LIMIT);
    }
    return output;
  }

  @Test
  void itemsWriteTheSameInEachForm() throws Exception {
    writeTheSame("barriers=auto");
  }

  @Test
  void itemsWriteTheSameByClang() throws Exception {
    ClangTest.assumeClang();
    writeTheSame("barriers=auto&compiler=clang++");
  }

  private static void writeTheSame(String options) throws Exception {
    Map<String, int[]> wanted = written("barriers=fiber");
    Map<String, String> wrong = new LinkedHashMap<>();
    written(options)
        .forEach(
            (name, values) -> {
              int at = Arrays.mismatch(values, wanted.get(name));
              if (at >= 0) {
                wrong.put(name, at + ": " + values[at] + " for " + wanted.get(name)[at]);
              }
            });
    assertEquals(Map.of(), wrong);
  }

  @Test
  void noFormIsRejected() throws Exception {
    List<String> macros = new ArrayList<>();
    List<Part> parts = parts(macros);
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=1");
        Executable kernels = device.loadExecutable(source(parts, macros.get(0)))) {
      for (Part part : parts) {
        String note = kernels.kernel(part.name).note();
        String form =
            part.text.contains("__syncthreads")
                ? "divided at its barriers"
                : "items run one after the other";
        assertTrue(note.startsWith(form) && !note.contains("rejects"), part.name + ": " + note);
      }
    }
  }
}
