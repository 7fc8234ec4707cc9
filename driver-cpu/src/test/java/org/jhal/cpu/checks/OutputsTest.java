// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.checks;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A readback of an {@code out} buffer that no kernel has written completely is found. */
@NeedsCompiler
class OutputsTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int ITEMS = 64;
  private static final int COUNT = 4 * ITEMS;

  /** Writes the elements from the first to the last one, of those of four workgroups. */
  private static final String PART =
      """
      struct padded { alignas(16) float x; };
      extern "C" __global__ void part(int first, int last, T* out) {
        int i = blockIdx.x * 64 + threadIdx.x;
        if (i >= first && i <= last) WRITE;
      }
      """;

  private record Part(int first, int last) {}

  private record Case(Parameter out, String type, String write, List<Part> parts) {}

  private static Case of(Parameter out, String type, Part... parts) {
    return new Case(out, type, "out[i] = 1", List.of(parts));
  }

  /** Runs the kernel for all parts, and reads some elements back. */
  private static void run(String options, Case one, int from, int count)
      throws InterruptedException {
    String source = PART.replace("T*", one.type + "*").replace("WRITE", one.write);
    int bytes = one.out.type().bytes();
    try (Device device = Hal.openDevice("cpu://?cache=off&check=" + options);
        Executable kernels =
            device.loadExecutable(
                ExecutableSource.builder("parts")
                    .kernel(
                        "part",
                        ITEMS,
                        Parameter.constant("first", I32),
                        Parameter.constant("last", I32),
                        one.out)
                    .cpp(source)
                    .build());
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer out = steps.allocate(one.out.type(), COUNT);
      for (Part part : one.parts) {
        steps.dispatch(
            kernels.kernel("part"), Workgroups.of(4), Args.of(part.first, part.last, out));
      }
      steps.readback(
          out.slice((long) from * bytes, (long) count * bytes),
          HostMemory.of(new byte[count * bytes]));
      sequence.await(LIMIT);
    }
  }

  private static String failure(Case one, int from, int count) {
    HalException failure = assertThrows(HalException.class, () -> run("values", one, from, count));
    assertEquals(Status.ABORTED, failure.status(), failure::toString);
    return String.valueOf(failure.getMessage());
  }

  private static final Case ALL_BUT_LAST = of(Parameter.out("out", F32), "float", new Part(0, 254));

  @ParameterizedTest
  @ValueSource(strings = {"values", "all"})
  void theLastElementIsMissed(String checks) {
    HalException failure =
        assertThrows(HalException.class, () -> run(checks, ALL_BUT_LAST, 0, COUNT));
    String text = String.valueOf(failure.getMessage());
    assertTrue(
        text.contains(
            "values: kernel part leaves 1 of the 256 elements (f32) of 'out' unwritten, whose"
                + " direction is 'out', and they are read back: the first is element 255"),
        text);
    assertTrue(text.contains("code.cpp:4: if (i >= first && i <= last) out[i] = 1;"), text);
    assertTrue(text.contains("of workgroup ("), text);
  }

  @Test
  void whatIsNotReadBackMayBeUnwritten() throws Exception {
    run("all", ALL_BUT_LAST, 0, COUNT - 1);
  }

  @Test
  void aBufferThatIsNotOnlyWrittenMayKeepWhatItHas() throws Exception {
    run("all", of(Parameter.inout("out", F32), "float", new Part(0, 254)), 0, COUNT);
  }

  @Test
  void nothingIsExpectedOfOtherChecks() throws Exception {
    run("memory,races,barriers", ALL_BUT_LAST, 0, COUNT);
  }

  @Test
  void dispatchesWriteABufferTogether() throws Exception {
    Parameter out = Parameter.out("out", F32);
    run("all", of(out, "float", new Part(0, 99), new Part(100, 255)), 0, COUNT);
    String text = failure(of(out, "float", new Part(0, 99), new Part(110, 255)), 0, COUNT);
    assertTrue(text.contains("leaves 10 of the 256 elements"), text);
    assertTrue(text.contains("the first is element 100"), text);
  }

  @Test
  void aGapInBytesIsFoundInAPartThatIsReadBack() {
    Case gap = of(Parameter.out("out", U8), "unsigned char", new Part(0, 99), new Part(120, 255));
    String text = failure(gap, 50, 100);
    assertTrue(text.contains("leaves 20 of the 256 elements (u8)"), text);
    assertTrue(text.contains("the first is element 100"), text);
  }

  @Test
  void aKernelThatWritesNothingMayLeaveABufferAsItIs() throws Exception {
    run("all", of(Parameter.out("out", F32), "float", new Part(1, 0)), 0, COUNT);
  }

  @Test
  void structsHaveBytesBetweenTheirFields() throws Exception {
    Parameter out = Parameter.out("out", F32);
    run(
        "all",
        new Case(out, "padded", "if (i < 64) out[i].x = 1", List.of(new Part(0, 255))),
        0,
        COUNT);
  }
}
