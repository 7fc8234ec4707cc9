// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U8;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.KernelFinding;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.kernel.Bytes;
import org.jhal.kernel.Floats;
import org.jhal.kernel.Ints;
import org.jhal.kernel.JavaKernel;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.CheckTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Checked kernels in Java: a mistake of each kind, with a sound twin. */
@Timeout(60)
@ResourceLock("CheckTool")
class CheckedKernelsTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int GROUPS = 4;
  private static final int ITEMS = 8;
  private static final int LENGTH = GROUPS * ITEMS;
  private static final String RACES = "check=races";

  /** Runs a kernel with two buffers of 32 elements that are 0; returns the second one's bytes. */
  private static byte[] run(String options, ElementType type, JavaKernel kernel)
      throws InterruptedException {
    return run(options, type, kernel, false);
  }

  private static byte[] run(
      String options, ElementType type, JavaKernel kernel, boolean isOneBuffer)
      throws InterruptedException {
    byte[] result = new byte[LENGTH * type.bytes()];
    ExecutableSource source =
        ExecutableSource.builder("checked")
            .kernel("tried", Workgroups.of(ITEMS), 32, in("x", type), inout("y", type))
            .java("tried", kernel)
            .build();
    try (Device device = Hal.openDevice("mock://?" + options);
        Executable kernels = device.loadExecutable(source);
        DeviceBuffer x = device.allocate(result.length, BufferParams.DEVICE);
        DeviceBuffer y = device.allocate(result.length, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      HostMemory zeros = HostMemory.of(new byte[result.length]);
      var queue = device.queue(0);
      steps.step((waits, signals) -> queue.upload(waits, signals, zeros, x, 0));
      steps.step((waits, signals) -> queue.upload(waits, signals, zeros, y, 0));
      steps.step(
          (waits, signals) ->
              queue.dispatch(
                  waits,
                  signals,
                  kernels.kernel("tried"),
                  Workgroups.of(GROUPS),
                  Args.of(isOneBuffer ? y : x, y)));
      steps.step((waits, signals) -> queue.readback(waits, signals, y, 0, HostMemory.of(result)));
      steps.await(LIMIT);
    }
    return result;
  }

  private static List<KernelFinding> failing(String options, ElementType type, JavaKernel kernel) {
    HalException failure = assertThrows(HalException.class, () -> run(options, type, kernel));
    assertEquals(Status.ABORTED, failure.status(), failure::toString);
    assertTrue(
        String.valueOf(failure.getMessage()).contains("the kernel is wrong: "), failure::toString);
    return failure.findings();
  }

  private static KernelFinding onlyOne(List<KernelFinding> findings) {
    assertEquals(1, findings.size(), () -> text(findings));
    return findings.get(0);
  }

  private static String text(List<KernelFinding> findings) {
    return findings.stream().map(KernelFinding::toString).collect(Collectors.joining("\n"));
  }

  private static int line(String method, KernelFinding.Place place) {
    assertEquals("CheckedKernelsTest.java", place.file());
    assertTrue(place.text().startsWith(CheckedKernelsTest.class.getName() + "."), place.text());
    assertTrue(place.text().contains(method), place.text());
    return place.line();
  }

  // A stencil in place: the first element of the next group may be new or old.

  private static void smoothInPlace(Floats y, long first, long end) {
    for (long i = first; i < end; i++) {
      float right = i + 1 < LENGTH ? y.get(i + 1) : 0;
      y.set(i, y.get(i) + right + i);
    }
  }

  @Test
  void twoGroupsThatReadAndWriteAnElementAreARace() {
    KernelFinding race =
        onlyOne(
            failing(
                RACES,
                F32,
                group ->
                    smoothInPlace(group.memory(1).floats(), group.firstX(), group.endX(LENGTH))));
    assertEquals("races", race.check());
    assertEquals("tried", race.kernel());
    assertEquals(
        "kernel tried writes element 8 of 'y', which another workgroup reads without an order"
            + " between them",
        race.message());
    assertEquals("workgroup (1, 0, 0)", race.item());
    assertEquals("workgroup (0, 0, 0)", race.otherItem());
    assertEquals(3, race.count());
    int write = line("smoothInPlace", Objects.requireNonNull(race.place()));
    assertEquals(
        write - 1, line("smoothInPlace", Objects.requireNonNull(race.otherPlace())), "read");
    assertTrue(
        race.toString()
            .contains(
                "\n  CheckedKernelsTest.java:"
                    + write
                    + ": "
                    + CheckedKernelsTest.class.getName()
                    + ".smoothInPlace\n  by workgroup (1, 0, 0)\n"),
        race::toString);
  }

  /** Of so many accesses, the places of the last ones are not noted. */
  @Test
  void aLateRaceCountsAsTheSame() {
    KernelFinding race =
        onlyOne(
            failing(
                RACES,
                F32,
                group -> {
                  Floats y = group.memory(1).floats();
                  for (int i = 0; group.groupX() == 1 && i < 250_000; i++) {
                    y.get(ITEMS + 2);
                  }
                  smoothInPlace(y, group.firstX(), group.endX(LENGTH));
                }));
    assertEquals(3, race.count());
    assertTrue(race.place() != null && race.otherPlace() != null, race::toString);
    KernelFinding late =
        onlyOne(
            failing(
                RACES,
                F32,
                group -> {
                  Floats y = group.memory(1).floats();
                  for (int i = 0; group.groupX() == 0 && i < 250_000; i++) {
                    y.get(2);
                  }
                  smoothInPlace(y, group.firstX(), group.endX(LENGTH));
                }));
    assertEquals(3, late.count());
    assertTrue(late.place() != null && late.otherPlace() == null, late::toString);
    assertEquals("workgroup (0, 0, 0)", late.otherItem());
  }

  @Test
  void itsTwinWithTwoBuffersIsSound() throws Exception {
    run(
        "check=all",
        F32,
        group -> {
          Floats x = group.memory(0).floats();
          Floats y = group.memory(1).floats();
          for (long i = group.firstX(); i < group.endX(LENGTH); i++) {
            y.set(i, x.get(i) + (i + 1 < LENGTH ? x.get(i + 1) : 0));
          }
        });
  }

  @Test
  void twoArgumentsMayBeTheSameBuffer() {
    JavaKernel shift =
        group -> {
          for (long i = group.firstX(); i < group.endX(LENGTH - 1); i++) {
            group.memory(1).floats().set(i, 1 + group.memory(0).floats().get(i + 1));
          }
        };
    HalException failure = assertThrows(HalException.class, () -> run(RACES, F32, shift, true));
    assertEquals(
        "kernel tried writes element 8 of 'y', which another workgroup reads without an order"
            + " between them",
        onlyOne(failure.findings()).message());
  }

  @Test
  void writesOfTheSameValueAreToldApart() throws Exception {
    JavaKernel same = group -> group.memory(1).ints().set(3, 7);
    run(RACES, I32, same);
    KernelFinding race =
        onlyOne(failing(RACES, I32, group -> group.memory(1).ints().set(3, group.groupX())));
    assertTrue(race.message().endsWith("; the values differ"), race.message());
    CheckTool.take();
    run(RACES + "&check-mode=report", I32, same);
    KernelFinding benign = onlyOne(CheckTool.take().stream().map(CheckReport::finding).toList());
    assertTrue(benign.isBenign());
    assertTrue(benign.message().endsWith("; both write the same value"), benign.message());
  }

  @Test
  void atomicUpdatesAreNoRaceAndPlainAccessesBesideThemAre() throws Exception {
    byte[] sound =
        run(
            RACES,
            I32,
            group -> {
              for (int i = 0; i < ITEMS; i++) {
                group.memory(1).ints().getAndAdd(i % 2, 1);
              }
            });
    assertEquals(LENGTH / 2, sound[0]);
    KernelFinding reads =
        onlyOne(
            failing(
                RACES,
                I32,
                group -> {
                  group.memory(1).ints().getAndAdd(0, 1);
                  if (group.groupX() == 2) {
                    group.memory(1).ints().set(1, group.memory(1).ints().get(0));
                  }
                }));
    assertTrue(reads.message().contains("changes atomically"), reads.message());
    KernelFinding resets =
        onlyOne(
            failing(
                RACES,
                I32,
                group -> {
                  if (group.groupX() == 0) {
                    group.memory(1).ints().set(0, 5);
                  }
                  group.memory(1).ints().getAndAdd(0, 1);
                }));
    assertEquals(
        "kernel tried changes atomically element 0 of 'y', which another workgroup writes without"
            + " an order between them",
        resets.message());
  }

  /** The group that comes last to a counter adds what the others have written before. */
  private static void sumOnce(Ints y, int group, int groups, int ticket, boolean isLate) {
    if (!isLate) {
      y.set(group, group + 1);
    }
    boolean isLast = y.getAndAdd(ticket, 1) == groups - 1;
    if (isLate) {
      y.set(group, group + 1);
    }
    if (isLast) {
      int sum = 0;
      for (int i = 0; i < groups; i++) {
        sum += y.get(i);
      }
      y.set(LENGTH - 1, sum);
    }
  }

  @Test
  void anAtomicCounterOrdersWhatWasWrittenBefore() throws Exception {
    byte[] sound =
        run(
            RACES,
            I32,
            group -> sumOnce(group.memory(1).ints(), group.groupX(), GROUPS, 16, false));
    assertEquals(10, sound[4 * (LENGTH - 1)]);
    KernelFinding late =
        onlyOne(
            failing(
                RACES,
                I32,
                group -> sumOnce(group.memory(1).ints(), group.groupX(), GROUPS, 16, true)));
    assertTrue(late.message().contains("which another workgroup writes"), late.message());
  }

  @Test
  void theOrderGoesFromCounterToCounter() throws Exception {
    JavaKernel pairs =
        group -> {
          Ints y = group.memory(1).ints();
          y.set(group.groupX(), group.groupX() + 1);
          if (y.getAndAdd(16 + group.groupX() / 2, 1) == 1 && y.getAndAdd(20, 1) == 1) {
            y.set(LENGTH - 1, IntStream.range(0, GROUPS).map(y::get).sum());
          }
        };
    assertEquals(10, run(RACES, I32, pairs)[4 * (LENGTH - 1)]);
  }

  @Test
  void bytesBesideEachOtherAreNoRace() throws Exception {
    JavaKernel bytes =
        group -> {
          Bytes y = group.memory(1).bytes();
          for (int i = group.groupX(); i < LENGTH; i += GROUPS) {
            y.set(i, (byte) i);
          }
        };
    assertEquals(LENGTH - 1, run("check=all", U8, bytes)[LENGTH - 1]);
    run("check=all", I32, bytes); // of elements that groups share, nothing is known
    assertEquals(1, failing(RACES, U8, g -> g.memory(1).bytes().set(5, (byte) g.groupX())).size());
  }

  @Test
  void whatIsOutsideIsFoundAndTheOtherGroupsGoOn() throws Exception {
    JavaKernel stray =
        group -> {
          for (long i = group.firstX() + 1; i <= group.firstX() + ITEMS; i++) {
            group.memory(1).ints().set(i, 1);
          }
        };
    KernelFinding outside = onlyOne(failing("check=memory", I32, stray));
    assertEquals(
        "kernel tried writes outside 'y': element 32 of 32 (i32), 0 bytes past its end",
        outside.message());
    assertEquals("workgroup (3, 0, 0)", outside.item());
    CheckTool.take();
    byte[] written = run("check=memory&check-mode=report", I32, stray);
    assertEquals(1, CheckTool.take().size());
    assertEquals(LENGTH - 1, IntStream.range(0, LENGTH).map(i -> written[4 * i]).sum());
    HalException thrown =
        assertThrows(HalException.class, () -> run(RACES, I32, stray), "as without a check");
    assertEquals(IndexOutOfBoundsException.class, cause(thrown).getClass());
    assertEquals(List.of(), thrown.findings());
  }

  private static Throwable cause(HalException failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  @Test
  void sharedMemoryHasBoundsAndIsTheGroupsOwn() throws Exception {
    run("check=all", I32, group -> group.shared().ints().set(7, group.groupX()));
    KernelFinding outside =
        onlyOne(failing("check=all", I32, group -> group.shared().ints().get(8)));
    assertEquals(
        "kernel tried reads outside 'dynamic shared memory': element 8 (4 bytes each) of 32 bytes"
            + " of shared memory, 0 bytes past its end",
        outside.message());
    assertEquals(GROUPS, outside.count());
  }

  @Test
  void aBufferThatIsOnlyReadMustNotBeWritten() throws Exception {
    JavaKernel writes = group -> group.memory(0).ints().set(group.groupX(), 1);
    assertEquals(
        "kernel tried writes element 0 of 'x', which it may only read: its direction is 'in'",
        onlyOne(failing("check=memory", I32, writes)).message());
    run("check=memory", I32, writes, true); // the same buffer is another argument, too
  }

  @Test
  void whatWasFoundBeforeTheKernelThrewIsReported() {
    HalException failure =
        assertThrows(
            HalException.class,
            () ->
                run(
                    RACES,
                    I32,
                    group -> {
                      group.memory(1).ints().set(0, group.groupX());
                      if (group.groupX() == 2) {
                        throw new IllegalStateException("no more");
                      }
                    }));
    assertEquals(1, failure.findings().size());
    assertTrue(hasSuppressed(failure, IllegalStateException.class), failure::toString);
  }

  private static boolean hasSuppressed(Throwable failure, Class<?> type) {
    return Arrays.stream(failure.getSuppressed())
        .anyMatch(each -> type.isInstance(each) || hasSuppressed(each, type));
  }

  @Test
  void aViewThatWasKeptThrows() throws Exception {
    KernelMemory[] kept = new KernelMemory[1];
    run("check=all", I32, group -> kept[0] = group.memory(1));
    assertThrows(IllegalStateException.class, () -> kept[0].getInt(0));
  }

  @Test
  void nothingIsCheckedWithoutTheOption() throws Exception {
    KernelMemory[] seen = new KernelMemory[1];
    run(
        "",
        I32,
        group -> {
          seen[0] = group.memory(1);
          group.memory(1).ints().set(0, group.groupX());
        });
    assertEquals("KernelView", seen[0].getClass().getSimpleName());
    HalException refused =
        assertThrows(HalException.class, () -> Hal.openDevice("mock://?check=rases"));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
  }
}
