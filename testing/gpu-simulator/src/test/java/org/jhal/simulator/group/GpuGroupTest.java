// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Form;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Collectives;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.jhal.simulator.NativeSource;
import org.jhal.simulator.SimulatedCollectives;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Groups of GPUs whose collectives a library carries out: the conditions for that, and the results,
 * which are those of the host.
 */
@Timeout(60)
class GpuGroupTest {
  private static final int COUNT = 501;
  private static final double UNIT_F16 = 0x1p-10;
  private static final double UNIT_BF16 = 0x1p-7;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  @TempDir private Path folder;
  private final SimulatedGpu gpu = sim.gpu();
  private final String name = sim.driver().name();
  private final String library = gpu.collectives();
  private String file = "";

  @BeforeEach
  final void noteFile() {
    file = System.getProperty(gpu.collectivesProperty(), "");
  }

  @AfterEach
  final void nameFileAgain() {
    useLibrary(file);
  }

  private void useLibrary(Object path) {
    System.setProperty(gpu.collectivesProperty(), path.toString());
  }

  private SimulatedCollectives collectives() {
    return SimulatedCollectives.of(sim.simulator());
  }

  private Device open(int index) {
    return sim.open(name + "://" + index + "?queues=1");
  }

  private static Form form(CollectiveGroup group) {
    return group.form(Kind.ALL_REDUCE, Reduction.SUM, ElementType.I32);
  }

  /** Without the calls that create communicators. */
  private Map<String, Long> collectiveCalls() {
    Map<String, Long> calls = new TreeMap<>(collectives().calls());
    calls.keySet().removeIf(call -> call.matches("nccl(Comm|Get|Group).*"));
    return calls;
  }

  // The form.

  @Test
  void devicesOfOneDriverUseTheLibrary() {
    try (Device here = open(0);
        Device there = open(1);
        CollectiveGroup group = CollectiveGroup.of(here, there)) {
      Form natives = new Form("native", library + " 2.28.3");
      assertEquals(natives, form(group));
      assertEquals(natives, group.form(Kind.BROADCAST, null, null));
      assertEquals(2, collectives().live());
      for (ElementType type : new ElementType[] {ElementType.I16, ElementType.U16}) {
        Form host = group.form(Kind.REDUCE, Reduction.MAX, type);
        assertEquals("host", host.name());
        assertTrue(host.reason().contains("no reductions of " + type.label()), host::reason);
      }
    }
    assertEquals(0, collectives().live());
  }

  @Test
  void hostOnlyUsesTheHost() {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(Options.DEFAULT.withHostOnly(), here, there)) {
      assertEquals(new Form("host", "the group was made for the host only"), form(group.group));
      group.check();
      assertEquals(Map.of(), collectives().calls());
    }
  }

  @Test
  void twoDevicesOnOneGpuGoThroughTheHost() {
    try (Device here = open(0);
        Device same = open(0);
        SummingGroup group = new SummingGroup(here, same)) {
      assertEquals(new Form("host", "ranks 0 and 1 are on one GPU"), form(group.group));
      group.check();
    }
  }

  private void checkHost(String reason) {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      Form form = form(group.group);
      assertEquals("host", form.name());
      assertTrue(form.reason().contains(reason), form::reason);
      group.check();
      assertEquals(Map.of(), collectiveCalls());
    }
  }

  @Test
  void aMissingLibraryMeansTheHost() {
    useLibrary(folder.resolve("none"));
    checkHost("there is no file '" + folder.resolve("none") + "'");
  }

  @Test
  void doesNotUseAnOldLibrary() {
    Path old = gpu.collectives(20804).path();
    useLibrary(old);
    checkHost(library + " 2.8.4 (" + old + ") is too old; JHAL needs 2.10 or newer");
  }

  @Test
  void doesNotUseALibraryThatLacksFunctions() throws IOException {
    String source = "int ncclGetVersion(int* version) { *version = 22803; return 0; }";
    Path other = NativeSource.library(folder, "other", source);
    useLibrary(other);
    checkHost(other + " lacks ncclAllGather, ncclAllReduce");
  }

  @Test
  void doesNotUseALibraryThatCannotCreateCommunicators() {
    collectives().fail("ncclCommInitRankConfig", 1, 2);
    collectives().fail("ncclCommInitRankConfig", 2, 1);
    checkHost("ncclCommInitRankConfig returned 1: unhandled device error");
  }

  /** The first attempt may fail for lack of memory, and pools have released theirs since. */
  @Test
  void retriesTheCreationOfCommunicators() {
    collectives().fail("ncclCommInitRankConfig", 1, 1);
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      assertEquals("native", form(group.group).name());
      group.check();
    }
  }

  // Results.

  private static byte[] content(ElementType type, Random random, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      double number = random.nextDouble() + 0.5;
      switch (type) {
        case F16 -> bytes.putShort(Float16.of(number));
        case BF16 -> bytes.putShort(BFloat16.of(number));
        case F32 -> bytes.putFloat((float) number);
        case F64 -> bytes.putDouble(number);
        default -> {
          for (int k = 0; k < type.bytes(); k++) {
            bytes.put((byte) random.nextInt());
          }
        }
      }
    }
    return bytes.array();
  }

  /**
   * How far the results of two forms may lie apart (rule G5), in proportion to the largest number
   * and to the ranks; null for integers.
   */
  private static @Nullable Double unit(ElementType type) {
    return switch (type) {
      case F16 -> UNIT_F16;
      case BF16 -> UNIT_BF16;
      case F32 -> 0x1p-23;
      case F64 -> 0x1p-52;
      default -> null;
    };
  }

  private static double number(ElementType type, ByteBuffer bytes) {
    return switch (type) {
      case F16 -> Float16.toFloat(bytes.getShort());
      case BF16 -> BFloat16.toFloat(bytes.getShort());
      case F32 -> bytes.getFloat();
      default -> bytes.getDouble();
    };
  }

  /**
   * With numbers of at most 2, no sum or product of so many is larger than 2 to their number, and
   * each rank but one adds a rounding.
   */
  private static void assertNear(
      ElementType type, int ranks, byte[] host, byte[] found, String what) {
    Double unit = unit(type);
    if (unit == null) {
      assertBytes(host, found, what);
      return;
    }
    ByteBuffer expected = ByteBuffer.wrap(host).order(ByteOrder.nativeOrder());
    ByteBuffer actual = ByteBuffer.wrap(found).order(ByteOrder.nativeOrder());
    while (expected.hasRemaining()) {
      assertEquals(
          number(type, expected), number(type, actual), unit * (ranks - 1) * (1 << ranks), what);
    }
  }

  /** The targets of all ranks afterwards, in the order of their numbers; empty without a target. */
  private static List<byte[]> run(
      CollectiveGroup group,
      Kind kind,
      @Nullable Reduction reduction,
      ElementType type,
      long seed) {
    Random random = new Random(seed);
    List<@Nullable DeviceBuffer> targets = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    int count = group.devices().size();
    int root = kind == Kind.SEND_RECEIVE ? 0 : 1;
    for (int i = 0; i < count; i++) {
      Device device = group.devices().get(i);
      byte[] content = content(type, random, COUNT * Collectives.sourceParts(kind, count));
      boolean hasSource = Collectives.hasSource(kind, i, root);
      boolean hasTarget = Collectives.hasTarget(kind, i, root, 1);
      int bytes = COUNT * type.bytes() * Collectives.targetParts(kind, count);
      DeviceBuffer source = hasSource ? SummingGroup.buffer(device, content) : null;
      DeviceBuffer target = hasTarget ? device.allocate(bytes, BufferParams.DEVICE) : null;
      TimelineSemaphore end = device.createSemaphore(0);
      ranks.add(new Rank(Fence.NONE, end.at(1), source, target));
      ends.add(end);
      targets.add(target);
    }
    Collectives.start(group, kind, root, 1, reduction, type, ranks);
    List<byte[]> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      awaitReached(ends.get(i), 1);
      ends.get(i).close();
      DeviceBuffer target = targets.get(i);
      if (target != null) {
        results.add(SummingGroup.content(group.devices().get(i), target));
        target.close();
      }
    }
    for (Rank rank : ranks) {
      DeviceBuffer source = rank.source();
      if (source != null) {
        source.close();
      }
    }
    return results;
  }

  private void checkAlike(
      CollectiveGroup natives,
      CollectiveGroup host,
      Kind kind,
      @Nullable Reduction reduction,
      ElementType type) {
    int ranks = natives.devices().size();
    String what = kind + " of " + type + " by " + reduction + ", " + ranks + " ranks";
    Map<String, Long> before = collectiveCalls();
    List<byte[]> found = run(natives, kind, reduction, type, 7);
    boolean isNative =
        natives.form(kind, reduction, reduction == null ? null : type).name().equals("native");
    assertEquals(isNative, !collectiveCalls().equals(before), what);
    List<byte[]> expected = run(host, kind, reduction, type, 7);
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < found.size(); i++) {
      assertNear(type, ranks, expected.get(i), found.get(i), what);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLibraryComputesTheResultsOfTheHost(Kind kind) {
    int count = sim.four();
    List<Device> devices = new ArrayList<>();
    try {
      devices.add(open(0));
      while (devices.size() < count) {
        devices.add(open(devices.size()));
        checkAlike(kind, devices);
      }
    } finally {
      devices.forEach(Device::close);
    }
  }

  private void checkAlike(Kind kind, List<Device> devices) {
    try (CollectiveGroup natives = CollectiveGroup.of(devices, Options.DEFAULT);
        CollectiveGroup host = CollectiveGroup.of(devices, Options.DEFAULT.withHostOnly())) {
      for (ElementType type : ElementType.values()) {
        if (!kind.isReduction()) {
          checkAlike(natives, host, kind, null, type);
          continue;
        }
        for (Reduction reduction : Reduction.values()) {
          if (reduction != Reduction.AVERAGE || unit(type) != null) {
            checkAlike(natives, host, kind, reduction, type);
          }
        }
      }
    }
  }

  @Test
  void theSecondDeviceMayBeTheFirstRank() {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(there, here);
        SummingGroup alone = new SummingGroup(here, there)) {
      group.check();
      alone.check();
      group.check();
      assertEquals(3, collectives().launches());
    }
  }

  @Test
  void memoryOfAnotherDeviceGoesThroughTheHost() {
    try (Device here = open(0);
        Device there = open(1);
        CollectiveGroup group = CollectiveGroup.of(here, there);
        DeviceBuffer mine = SummingGroup.buffer(here, new byte[] {1, 2, 3, 4});
        DeviceBuffer view = there.allocator().importPeer(mine);
        DeviceBuffer target = here.allocate(4, BufferParams.DEVICE);
        DeviceBuffer theirs = there.allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = here.createSemaphore(0)) {
      group.broadcast(
          1,
          List.of(
              new Rank(Fence.NONE, done.at(1), null, target),
              new Rank(Fence.NONE, done.at(1), view, theirs)));
      awaitReached(done, 1);
      assertBytes(new byte[] {1, 2, 3, 4}, SummingGroup.content(here, target), "target");
      assertBytes(new byte[] {1, 2, 3, 4}, SummingGroup.content(there, theirs), "theirs");
      assertEquals(Map.of(), collectiveCalls());
    }
  }

  @Test
  void importedMemoryOfTheHostGoesThroughTheHost() {
    ByteBuffer memory = ByteBuffer.allocateDirect(8192).alignedSlice(4096).slice(0, 4096);
    try (Device here = open(0);
        Device there = open(1);
        CollectiveGroup group = CollectiveGroup.of(here, there);
        DeviceBuffer imported = here.allocator().importHost(memory, BufferParams.HOST, null);
        DeviceBuffer theirs = there.allocate(4096, BufferParams.DEVICE);
        TimelineSemaphore done = here.createSemaphore(0)) {
      memory.put(5, (byte) 7);
      group.broadcast(
          0,
          List.of(
              new Rank(Fence.NONE, done.at(1), imported, null),
              new Rank(Fence.NONE, done.at(1), null, theirs)));
      awaitReached(done, 1);
      assertEquals(7, SummingGroup.content(there, theirs)[5]);
      assertEquals(Map.of(), collectiveCalls());
    }
  }
}
