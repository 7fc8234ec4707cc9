// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.simulator.fixture.NativeCall.COPY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_CREATE;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_COPY;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.LAUNCH_KERNEL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.HostMemory;
import org.jhal.Workgroups;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Single dispatches, small copies and small readbacks as graphs of one node, where a runtime sets
 * nodes in flight.
 */
@Timeout(60)
class GpuOneNodeGraphTest {
  private static final String EXECUTION = "org.jhal.Execution";
  private static final int SMALL = 256;
  private static final int LARGE = (64 << 10) + 4;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  /** The results do not depend on how commands are issued. */
  @ParameterizedTest
  @CsvSource({"auto,1", "auto,2", "on,3", "on,4"})
  void randomCommandsGiveTheSameBytes(String use, long seed) {
    byte[] expected = runRandomly("off", seed);
    long plain = sim.calls(INSTANCE_LAUNCH);
    assertEquals(0, plain, "launches with graph=off");
    assertBytes(expected, runRandomly(use, seed), "what was read with graph=" + use);
    if (use.equals("on")) { // otherwise the first graph may come too late
      assertEquals(
          sim.gpu().setsNodesInFlight(), sim.calls(INSTANCE_LAUNCH) > 0, "launches of graphs");
    }
  }

  /**
   * Runs of one command with changing buffers and constants; grids and lengths change at times.
   * Returns all that was read.
   */
  private byte[] runRandomly(String use, long seed) {
    Random random = new Random(seed);
    int bytes = 4096;
    int ints = SMALL / 4;
    ByteArrayOutputStream results = new ByteArrayOutputStream();
    try (SingleCommands f = new SingleCommands(sim, "&graph=" + use);
        DeviceBuffer all = f.zeros(bytes)) {
      for (int run = 0; run < 40; run++) {
        int kind = random.nextInt(5);
        int shape = 1 + random.nextInt(ints);
        boolean isChanging = random.nextInt(4) == 0;
        int length = 2 + random.nextInt(10);
        List<byte[]> read = new ArrayList<>();
        for (int i = 0; i < length; i++) {
          int count = isChanging ? 1 + random.nextInt(ints) : shape;
          int from = random.nextInt(8);
          int to = 8 + random.nextInt(8);
          DeviceBuffer x = all.slice((long) from * SMALL, SMALL);
          DeviceBuffer y = all.slice((long) to * SMALL, SMALL);
          int number = random.nextInt(1 << 20);
          switch (kind) {
            case 0 ->
                f.dispatch(
                    "scale_and_offset", Workgroups.of(count), Args.of(y, x, number | 1, count));
            case 1 -> f.dispatch("negate", Workgroups.of(count), Args.of(x, y));
            case 2 ->
                f.dispatch("write_constants", Workgroups.of(1), Args.of(y, number, i, run, from));
            case 3 -> f.copy(all, (long) to * SMALL, all, (long) from * SMALL, 4L * count);
            default -> {
              read.add(new byte[4 * count]);
              f.readback(all, (long) to * SMALL, read.get(i));
            }
          }
        }
        if (kind == 4 || random.nextInt(4) == 0) {
          f.await(); // a graph that is being made may be ready then
        }
        read.forEach(results::writeBytes);
      }
      results.writeBytes(f.read(all, bytes));
      return results.toByteArray();
    }
  }

  @Test
  void onceTheGraphIsThereNothingIsLaunchedPlainly() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, SingleCommands.MANY);
      f.awaitGraphs(1);
      f.await();
      long plain = sim.calls(LAUNCH_KERNEL);
      long launches = sim.calls(INSTANCE_LAUNCH);
      f.append(list, SingleCommands.MANY, SingleCommands.MANY + 200);
      f.check(list, SingleCommands.MANY + 200);
      assertEquals(plain, sim.calls(LAUNCH_KERNEL), "plain launches");
      assertEquals(launches + 200, sim.calls(INSTANCE_LAUNCH), "launches of the graph");
      assertEquals(1, f.graphs().instances());
      assertTrue(f.graphs().bytes() > 0, () -> f.graphs().toString());
      assertEquals(0, f.graphs().launches(), "launches of command buffers");
    }
  }

  /** Three uses are plain, and the fourth one has the graph made. */
  @Test
  void aKernelThatIsUsedRarelyGetsNoGraph() {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 3);
      f.check(list, 3);
      assertEquals(0, sim.calls(GRAPH_CREATE));
    }
  }

  @Test
  void graphOnLaunchesAGraphFromTheSecondUse() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 5);
      f.check(list, 5);
      assertEquals(1, sim.calls(LAUNCH_KERNEL));
      assertEquals(4, sim.calls(INSTANCE_LAUNCH));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"&graph=off", "&graph-memory=0", "&graph=on&graph-memory=0"})
  void launchesPlainlyWithoutGraphs(String options) {
    try (SingleCommands f = new SingleCommands(sim, options);
        DeviceBuffer list = f.list()) {
      f.append(list, 0, 50);
      f.check(list, 50);
      assertEquals(50, sim.calls(LAUNCH_KERNEL));
      assertEquals(0, sim.calls(INSTANCE_LAUNCH));
      assertEquals(0, f.graphs().bytes());
    }
  }

  @Test
  void theSameArgumentsAreSetOnce() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer x = f.zeros(SMALL);
        DeviceBuffer y = f.zeros(SMALL)) {
      for (int i = 0; i < 30; i++) { // x = 2 x + i / 10
        f.dispatch("scale_and_offset", Workgroups.of(1), Args.of(x, x, 2, i / 10));
      }
      int expected = 0;
      for (int i = 0; i < 30; i++) {
        expected = 2 * expected + i / 10;
        f.copy(x, 0, y, 0, 4);
      }
      assertBytes(ints(expected), f.read(y, 4), "the last result");
      assertEquals(58, sim.calls(INSTANCE_LAUNCH));
      assertEquals(2, sim.calls(INSTANCE_SET_KERNEL));
      assertEquals(0, sim.calls(INSTANCE_SET_COPY));
    }
  }

  /** Each launch keeps the arguments that it was made with. */
  @Test
  void launchesInFlightKeepTheirArguments() {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer even = f.list();
        DeviceBuffer odd = f.list()) {
      f.append(even, 0, 2);
      f.append(odd, 0, 2);
      f.await();
      try (HeldStream held = new HeldStream(sim.simulator(), f.device)) {
        for (int i = 2; i < 80; i++) {
          f.append(even, i);
          f.append(odd, i);
        }
        Waits.awaitTrue(
            "156 dispatches in the stream", () -> f.device.statistics().issued() == 156);
        held.release();
      }
      f.check(even, 80);
      f.check(odd, 80);
    }
  }

  /** A graph would gain nothing. */
  @Test
  void aKernelWhoseGridChangesIsLaunchedPlainly() {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer x = f.zeros(SMALL);
        DeviceBuffer y = f.zeros(SMALL)) {
      for (int i = 0; i < 40; i++) {
        f.dispatch("scale_and_offset", Workgroups.of(1 + i % 2), Args.of(x, y, 1, i)); // y = x + i
      }
      assertBytes(ints(39, 39, 0), f.read(y, 12), "the last results");
      assertEquals(40, sim.calls(LAUNCH_KERNEL));
      assertEquals(0, sim.calls(GRAPH_CREATE));
    }
  }

  @Test
  void anotherGridIsLaunchedPlainlyOnce() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer x = f.zeros(SMALL);
        DeviceBuffer y = f.zeros(SMALL)) {
      for (int i = 0; i < 9; i++) {
        f.dispatch("scale_and_offset", Workgroups.of(1 + i / 3), Args.of(x, y, 1, i));
      }
      assertBytes(ints(8, 8, 8, 0), f.read(y, 16), "the last results");
      assertEquals(3, sim.calls(LAUNCH_KERNEL), "the first launches of three grids");
      assertEquals(6, sim.calls(INSTANCE_LAUNCH));
    }
  }

  @Test
  void smallCopiesAreGraphs() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer numbers = f.list()) {
      f.append(numbers, 0, 20);
      f.await();
      long before = sim.calls(INSTANCE_LAUNCH);
      for (int i = 0; i < 10; i++) {
        f.copy(numbers, 4L + 4 * i, numbers, 200L + 4 * i, 4);
      }
      byte[] copied = f.read(numbers, 240);
      for (int i = 0; i < 10; i++) {
        assertEquals(i, copied[200 + 4 * i]);
      }
      assertEquals(1, sim.calls(COPY));
      assertEquals(before + 9, sim.calls(INSTANCE_LAUNCH));
    }
  }

  @Test
  void otherCopiesAreIssuedPlainly() {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer source = f.zeros(2 * LARGE);
        DeviceBuffer host = f.device.allocate(SMALL, BufferParams.HOST)) {
      for (int i = 0; i < 20; i++) {
        f.copy(source, 0, source, LARGE, LARGE); // large
        f.copy(source, 0, source, LARGE, 4 + 4 * (i % 2)); // of another length each time
        f.copy(host, 0, source, 0, 4); // from the host's memory
        f.copy(source, 0, host, 0, 4); // to it
      }
      f.await();
      assertEquals(0, sim.calls(GRAPH_CREATE));
    }
  }

  /** With changing sources and arrays; the place in the staging memory stays the same. */
  @Test
  void smallReadbacksAreGraphs() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer numbers = f.numbers()) {
      for (int i = 0; i < 10; i++) {
        byte[] read = new byte[12];
        f.readback(numbers, 4L * (i / 2), read);
        f.await();
        assertBytes(ints(i / 2, i / 2 + 1, i / 2 + 2), read, "readback " + i);
      }
      assertEquals(9, sim.calls(INSTANCE_LAUNCH));
      assertEquals(4, sim.calls(INSTANCE_SET_COPY), "calls for five sources");
      assertEquals(1, f.graphs().instances());
    }
  }

  @Test
  void readbacksInTheBackgroundBecomeGraphs() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer numbers = f.numbers()) {
      for (int i = 0; i < SingleCommands.MANY; i++) {
        assertBytes(ints(0, 1), f.read(numbers, 8), "before");
      }
      f.awaitGraphs(1);
      long launches = sim.calls(INSTANCE_LAUNCH);
      for (int i = 0; i < 20; i++) {
        assertBytes(ints(0, 1), f.read(numbers, 8), "with the graph");
      }
      assertEquals(launches + 20, sim.calls(INSTANCE_LAUNCH));
    }
  }

  /** Each has its own part of the staging memory. */
  @Test
  void readbacksInFlightKeepTheirPlaces() throws Exception {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer numbers = f.numbers()) {
      byte[][] read = new byte[80][8];
      List<HostMemory> memories = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        f.read(numbers, 8);
      }
      try (HeldStream held = new HeldStream(sim.simulator(), f.device)) {
        for (int i = 0; i < 80; i++) {
          memories.add(HostMemory.of(read[i]));
          f.readbackAtOnce(numbers, 4L * i, memories.get(i));
        }
        Waits.awaitTrue("80 readbacks in the stream", () -> f.device.statistics().issued() == 80);
        held.release();
      }
      for (int i = 0; i < 80; i++) {
        memories.get(i).awaitFree(Waits.LIMIT);
        assertBytes(ints(i, i + 1), read[i], "readback " + i);
      }
    }
  }

  @Test
  void otherReadbacksAreIssuedPlainly() {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer source = f.zeros(LARGE);
        DeviceBuffer host = f.device.allocate(SMALL, BufferParams.HOST)) {
      for (int i = 0; i < 20; i++) {
        byte[] large = f.read(source, LARGE);
        assertEquals(LARGE, large.length);
        byte[] changing = f.read(source, 4 + 4 * (i % 2));
        assertEquals(4 + 4 * (i % 2), changing.length);
        byte[] fromHost = f.read(host, 16);
        assertEquals(16, fromHost.length);
      }
      assertEquals(0, sim.calls(GRAPH_CREATE));
    }
  }

  /** As plain launches have, where times are recorded. */
  @Test
  void eachLaunchHasItsTimesOnTheDevice(@TempDir Path folder) throws IOException {
    sim.assumeNodesAreSetInFlight();
    Path file = folder.resolve("times.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(EXECUTION);
      recording.start();
      try (SingleCommands f = new SingleCommands(sim, "&graph=on");
          DeviceBuffer list = f.list()) {
        f.append(list, 0, 20);
        f.check(list, 20);
        assertEquals(19, sim.calls(INSTANCE_LAUNCH));
      }
      recording.stop();
      recording.dump(file);
    }
    long times =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals(EXECUTION))
            .count();
    assertEquals(22, times, "times of a fill, 20 dispatches and a readback");
  }

  @Test
  void eachQueueHasItsOwnGraph() {
    sim.assumeNodesAreSetInFlight();
    try (SingleCommands f = new SingleCommands(sim, 2, "&graph=on");
        DeviceBuffer list = f.list()) {
      for (int i = 0; i < 20; i++) {
        f.useQueue(i % 2);
        f.append(list, i);
      }
      f.check(list, 20);
      assertEquals(2, f.graphs().instances());
      assertEquals(2, sim.calls(LAUNCH_KERNEL));
    }
  }
}
