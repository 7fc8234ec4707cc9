// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.queue.FakeStream.Event;
import org.junit.jupiter.api.Test;

/** The names of numbers, for as long as their objects live. */
class NamesTest {
  private static final int INDEX = 4740; // of this test's devices only

  private static EngineDevice<Event> open(FakeBackend backend) {
    return new EngineDevice<>(
        backend,
        new EngineConfig(
            2, 64, 0, 0, Duration.ofMinutes(5), Duration.ofMinutes(5), 2, 2, true, true, false),
        List.of());
  }

  private static Set<String> live() {
    return Names.live().stream()
        .map(named -> named.kind() + " " + named.name())
        .collect(Collectors.toSet());
  }

  /** Devices of other tests may still be on their way out. */
  private static boolean isDeviceNamed() {
    return live().stream().anyMatch(name -> name.contains("fake-" + INDEX));
  }

  @Test
  void aDeviceAndItsQueuesHaveNamesUntilItIsClosed() {
    try (EngineDevice<Event> device = open(new FakeBackend(INDEX))) {
      assertTrue(
          live()
              .containsAll(
                  Set.of("device fake-4740 (Fake)", "queue fake-4740-q0", "queue fake-4740-q1")),
          () -> device + ": " + live());
    }
    assertFalse(isDeviceNamed(), () -> "" + live());
  }

  @Test
  void aDeviceThatCannotBeOpenedLeavesNoName() {
    FakeBackend backend = new FakeBackend(INDEX);
    backend.failsAtStream = new HalException(Status.RESOURCE_EXHAUSTED, "no second stream");
    assertThrows(HalException.class, () -> open(backend));
    assertFalse(isDeviceNamed(), () -> "" + live());
  }

  /** Two applications in one process each have a copy of JHAL; a recording has both. */
  @Test
  void twoCopiesInOneProcessShareNoNumber() throws Exception {
    List<Long> semaphores = new ArrayList<>(List.of(Names.inProcess(1)));
    List<Long> devices = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      // No parent: the platform's loader also finds classes of named modules.
      try (URLClassLoader copy =
          new URLClassLoader(new URL[] {jarOf(Names.class), jarOf(HalException.class)}, null)) {
        Class<?> names = copy.loadClass(Names.class.getName());
        assertNotSame(Names.class, names);
        Method inProcess = names.getDeclaredMethod("inProcess", long.class);
        inProcess.setAccessible(true);
        semaphores.add((Long) inProcess.invoke(null, 1L));
        Method add = names.getMethod("add", String.class, String.class, long.class);
        devices.add((Long) add.invoke(null, "device", "a copy's", 0L));
      }
    }
    assertEquals(3, Set.copyOf(semaphores).size(), () -> "numbers of semaphores " + semaphores);
    assertEquals(2, Set.copyOf(devices).size(), () -> "numbers of devices " + devices);
  }

  private static URL jarOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @Test
  void namesOfADevicesPartsGoWithTheDevice() {
    long device = Names.add("device", "a device", 0);
    long other = Names.add("device", "another", 0);
    long kernel = Names.add("kernel", "a kernel", other);
    Names.add("kernel", "an unremoved one", device);
    Names.removeDevice(device);
    assertTrue(live().containsAll(Set.of("device another", "kernel a kernel")), () -> "" + live());
    Names.remove(kernel);
    Names.remove(kernel);
    Names.remove(other);
    assertTrue(
        Collections.disjoint(
            live(),
            Set.of(
                "device a device", "device another", "kernel a kernel", "kernel an unremoved one")),
        () -> "" + live());
  }
}
