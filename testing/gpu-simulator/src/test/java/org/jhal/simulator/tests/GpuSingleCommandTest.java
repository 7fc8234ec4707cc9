// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.simulator.fixture.NativeCall.GRAPH_INSTANTIATE;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_KERNEL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Slot;
import org.jhal.Workgroups;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Command buffers of one to three commands, again and again. */
@Timeout(60)
class GpuSingleCommandTest {
  private static final int USES = 60;

  /** More uses in turn than an instance is made behind. */
  private static final int TURNS = 10;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  private static CommandBuffer record(SingleCommands f, int commands) {
    CommandBuffer made = f.device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    for (int i = 0; i < commands; i++) {
      made.dispatch(f.kernels.kernel("append"), Workgroups.of(1), Args.of(Slot.of(0), 0));
      made.barrier();
    }
    made.end();
    return made;
  }

  private static void run(SingleCommands f, CommandBuffer recorded, DeviceBuffer list) {
    f.device.queue(0).execute(f.before(), f.next(), recorded, BindingTable.of(list));
  }

  /** The same, and waits until no graph is in flight. */
  private static void runAlone(SingleCommands f, CommandBuffer recorded, DeviceBuffer list) {
    run(f, recorded, list);
    f.await();
    Waits.awaitRetired(f.device);
  }

  private static int count(SingleCommands f, DeviceBuffer list) {
    byte[] read = f.read(list, 4);
    return (read[0] & 0xff) + ((read[1] & 0xff) << 8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void oneTableSetsNothing(int commands) {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list();
        CommandBuffer recorded = record(f, commands)) {
      for (int i = 0; i < USES; i++) {
        run(f, recorded, list);
      }
      assertEquals(commands * USES, count(f, list));
      assertEquals(USES - 1, f.graphs().launches());
      assertEquals(USES - 1, sim.calls(INSTANCE_LAUNCH));
      assertEquals(0, sim.calls(INSTANCE_SET_KERNEL));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void tablesInTurnGiveTheSameResults(int commands) {
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer even = f.list();
        DeviceBuffer odd = f.list();
        CommandBuffer recorded = record(f, commands)) {
      for (int i = 0; i < USES; i++) {
        run(f, recorded, i % 2 == 0 ? even : odd);
        if (i == 2) {
          f.awaitGraphs(1);
        }
      }
      assertEquals(commands * USES / 2, count(f, even));
      assertEquals(commands * USES / 2, count(f, odd));
      assertTrue(f.graphs().launches() > 0, () -> f.graphs().toString());
    }
  }

  /** Up to four tables that take turns get an instance each, and then no node is set any more. */
  @ParameterizedTest
  @CsvSource({"2, false", "3, false", "4, true"})
  void tablesInTurnGetAnInstanceEach(int tables, boolean isOn) {
    takeTurns(tables, isOn, (f, round) -> checkOneEach(tables, f, round));
  }

  /** One that is made slowly is not made again, which would use up the room for other tables. */
  @ParameterizedTest
  @CsvSource({"2, false", "3, false", "4, true"})
  void slowInstancesAreMadeOnceForEachTable(int tables, boolean isOn) {
    sim.delay(GRAPH_INSTANTIATE, Duration.ofMillis(100));
    takeTurns(tables, isOn, (f, round) -> checkOneEach(tables, f, round));
  }

  /** It may come when the first one has just been given its table. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aSlowInstanceIsEnoughWhicheverTableWasLast(int last) {
    sim.delay(GRAPH_INSTANTIATE, Duration.ofMillis(100));
    try (SingleCommands f = new SingleCommands(sim, "");
        DeviceBuffer even = f.zeros(1 << 18); // more than there are uses
        DeviceBuffer odd = f.zeros(1 << 18);
        CommandBuffer recorded = record(f, 1)) {
      List<DeviceBuffer> lists = List.of(even, odd);
      Runnable both = () -> lists.forEach(list -> runAlone(f, recorded, list));
      Waits.awaitTrue(
          "the second one to be begun",
          () -> {
            both.run();
            return sim.calls(GRAPH_INSTANTIATE) == 2;
          });
      for (int i = 0; i < TURNS; i++) {
        both.run();
      }
      runAlone(f, recorded, lists.get(last));
      f.awaitGraphs(2);
      runAlone(f, recorded, lists.get(1 - last));
      for (int i = 0; i < USES; i++) {
        both.run();
      }
      assertEquals(2, sim.calls(GRAPH_INSTANTIATE));
    }
  }

  private void checkOneEach(int tables, SingleCommands f, Runnable round) {
    Waits.awaitTrue(
        "rounds that set no node", () -> nodesSet(round) == 0 && f.graphs().instances() == tables);
    assertEquals(0, nodesSet(round));
    assertEquals(tables, f.graphs().instances());
  }

  @Test
  void moreTablesShareAnInstance() {
    takeTurns(
        5,
        true,
        (f, round) -> {
          Waits.awaitTrue("a round by graph", () -> nodesSet(round) == 10 * 5);
          assertEquals(10 * 5, nodesSet(round));
          assertEquals(1, f.graphs().instances());
        });
  }

  /** The nodes that ten rounds set. */
  private long nodesSet(Runnable round) {
    long before = sim.calls(INSTANCE_SET_KERNEL);
    for (int i = 0; i < 10; i++) {
      round.run();
    }
    return sim.calls(INSTANCE_SET_KERNEL) - before;
  }

  /**
   * Passes a round, in which each table is used once, and checks afterwards what the rounds did.
   */
  private void takeTurns(int tables, boolean isOn, BiConsumer<SingleCommands, Runnable> checks) {
    List<DeviceBuffer> lists = new ArrayList<>();
    try (SingleCommands f = new SingleCommands(sim, isOn ? "&graph=on" : "");
        CommandBuffer recorded = record(f, 1)) {
      for (int i = 0; i < tables; i++) {
        lists.add(f.zeros(1 << 18)); // more than there are rounds
      }
      int[] rounds = new int[1];
      checks.accept(
          f,
          () -> {
            lists.forEach(list -> runAlone(f, recorded, list));
            rounds[0]++;
          });
      for (DeviceBuffer list : lists) {
        assertEquals(rounds[0], count(f, list));
      }
    } finally {
      lists.forEach(DeviceBuffer::close);
    }
  }

  /** Single dispatches of the same kernel in between have a graph of their own. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void dispatchesInBetweenChangeNothing(int commands) {
    try (SingleCommands f = new SingleCommands(sim, "&graph=on");
        DeviceBuffer list = f.list();
        DeviceBuffer other = f.list();
        CommandBuffer recorded = record(f, commands)) {
      for (int i = 0; i < USES; i++) {
        run(f, recorded, list);
        f.append(other, i);
      }
      assertEquals(commands * USES, count(f, list));
      f.check(other, USES);
    }
  }
}
