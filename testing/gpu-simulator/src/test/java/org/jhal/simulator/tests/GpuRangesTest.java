// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.simulator.NativeSource;
import org.jhal.simulator.fixture.LogLines;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Ranges for a vendor's profiler, marked through a library that the test compiles from C. */
@Timeout(60)
class GpuRangesTest {
  /** Counts the ranges and records the names. A driver's functions call it. */
  private static final String COMMON =
      """
      #include <stdint.h>
      #include <string.h>
      static char names[4096];
      static int started, ended;
      static uint64_t begin(const char* name) {
        strncat(names, name, sizeof names - strlen(names) - 1);
        strncat(names, ";", sizeof names - strlen(names) - 1);
        return 1000 + __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
      }
      static void over(uint64_t range) {
        if (range > 1000 && range <= 1000 + (uint64_t)started) __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
      }
      const char* fake_names(void) { return names; }
      int fake_started(void) { return started; }
      int fake_ended(void) { return ended; }
      """;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  @TempDir private Path folder;
  private final String name = sim.driver().name();
  private final SimulatedGpu.Ranges ranges = sim.gpu().ranges();
  private final String property = sim.gpu().property(ranges.library());
  private final String source = ranges.source();
  private final String prefix = ranges.prefix();

  @AfterEach
  void forgetLibrary() {
    System.clearProperty(property);
  }

  private void run(String options) throws Exception {
    try (Device device = sim.open(name + "://0?queues=1&" + options);
        TimelineSemaphore done = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(buffer, 0, 64, FillPattern.of8(1));
      commands.barrier();
      commands.fill(buffer, 0, 64, FillPattern.of8(2));
      commands.end();
      device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, 64, FillPattern.of8(1));
      device.queue(0).execute(done.at(1), done.at(2), commands, BindingTable.of());
      awaitReached(done, 2);
    }
  }

  @Test
  void marksEachOperationAsARange() throws Exception {
    Path library = NativeSource.library(folder, "ranges", COMMON + source);
    System.setProperty(property, library.toString());
    NativeLibrary fake = NativeLibrary.getInstance(library.toString());
    run("ranges=off");
    assertEquals(0, fake.getFunction("fake_started").invokeInt(new Object[0]));
    for (int devices = 1; devices <= 2; devices++) {
      run("ranges=on");
      assertEquals(2 * devices, fake.getFunction("fake_started").invokeInt(new Object[0]));
      assertEquals(2 * devices, fake.getFunction("fake_ended").invokeInt(new Object[0]));
    }
    assertEquals(
        (prefix + "fill;" + prefix + "3 commands;").repeat(2),
        fake.getFunction("fake_names").invokeString(new Object[0], false));
  }

  /** A call of a function that is missing would throw an error, not a failure. */
  @Test
  void logsOneLineIfTheLibraryLacksAFunction() throws Exception {
    Set<String> functions =
        Pattern.compile("\\b\\w+tx[A-Z]\\w+(?=\\()")
            .matcher(source)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(functions.size() > 1, functions::toString);
    for (String missing : functions) {
      String renamed = "#define " + missing + " renamed_" + missing + "\n" + source;
      Path library = NativeSource.library(folder, "without" + missing, COMMON + renamed);
      System.setProperty(property, library.toString());
      List<String> lines = new ArrayList<>();
      try (LogLines ignored =
          new LogLines("org.jhal.gpu.GpuDriver", line -> lines.add(line.getMessage())).silently()) {
        run("ranges=on");
      }
      assertEquals(1, lines.size(), lines::toString);
      assertTrue(lines.get(0).contains("no ranges are marked"), lines::toString);
      assertTrue(lines.get(0).contains("lacks " + missing), lines::toString);
    }
  }

  @Test
  void logsOneLineIfTheLibraryIsMissing() throws Exception {
    Path none = folder.resolve("none.so");
    System.setProperty(property, none.toString());
    List<String> lines = new ArrayList<>();
    try (LogLines ignored =
        new LogLines("org.jhal.gpu.GpuDriver", line -> lines.add(line.getMessage())).silently()) {
      run("ranges=on");
    }
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains("no ranges are marked"), lines::toString);
    assertTrue(lines.get(0).contains(none.toString()), lines::toString);
    assertTrue(Files.notExists(none));
  }
}
