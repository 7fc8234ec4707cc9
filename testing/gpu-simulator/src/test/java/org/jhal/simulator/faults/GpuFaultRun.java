// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.BufferParams;
import org.jhal.DeviceStatistics;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.faults.FaultLog;
import org.jhal.cts.faults.FaultStep;
import org.jhal.cts.faults.FaultWorkload;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.jhal.engine.EngineDevice;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.jhal.simulator.fixture.StreamCapture;
import org.jspecify.annotations.Nullable;

/**
 * Runs the workload over two simulated devices with one fault, and checks the outcome (rules Q6,
 * Q7, Q7a, Q8 and Q10). With the simulator it also checks that no native call was wrong and that no
 * native object is left.
 */
final class GpuFaultRun {
  private final SimulatedGpu gpu;
  private final FaultRoles roles;
  private final GpuFault fault;
  private final Simulator simulator;
  private final String name; // of the driver
  private final StreamCapture driver;

  /** With graphs that are created at once, so that each run makes the same calls. */
  private static final String OPTIONS = "?queues=2&graph=on";

  private final List<EngineDevice<?>> opened = new CopyOnWriteArrayList<>();
  private @Nullable HalException lost; // of either device
  private Map<String, Long> calls = Map.of();

  private GpuFaultRun(SimulatedGpu gpu, GpuFault fault) {
    this.gpu = gpu;
    this.roles = new FaultRoles(gpu);
    this.fault = fault;
    this.driver = new StreamCapture(gpu.driver());
    this.simulator = gpu.simulator();
    this.name = gpu.driver().name();
  }

  /** Runs a case. */
  static void run(SimulatedGpu gpu, GpuFault fault) {
    new GpuFaultRun(gpu, fault).runInTime();
  }

  /** Runs without a fault, and returns how often each function was called. */
  static Map<String, Long> count(SimulatedGpu gpu, GpuFault.Mode mode) {
    GpuFaultRun run = new GpuFaultRun(gpu, GpuFault.none(mode));
    run.runInTime();
    return run.calls;
  }

  private void runInTime() {
    try {
      FaultLog.runInTime(
          fault.toString(),
          "mvn test -pl :driver-"
              + name
              + " -am -Dtest=GpuFaultTest -Dsurefire.failIfNoSpecifiedTests=false -Djhal.fault=",
          this::run);
    } finally {
      opened.forEach(EngineDevice::close);
      SimulatedDevices.collectViews();
      gpu.reset();
    }
  }

  private void run() throws Exception {
    gpu.reset();
    simulator.devices(2);
    if (fault.nth() > 0) {
      if (fault.isSticky()) {
        simulator.failForGood(fault.call(), fault.nth(), fault.code());
      } else {
        simulator.fail(fault.call(), fault.nth(), fault.code());
      }
    }
    EngineDevice<?> device = open(0);
    EngineDevice<?> other = device == null ? null : open(1);
    if (device != null && other != null) {
      work(device, other);
    }
    if (device != null) {
      close(device);
    }
    if (other != null) {
      close(other);
    }
    awaitThreadsEnd();
    SimulatedDevices.collectViews();
    calls = new TreeMap<>(simulator.calls());
    checkNothingIsLeft();
    checkOpensAgain();
  }

  private static void close(EngineDevice<?> device) {
    device.close();
    assertEquals(0, device.statistics().liveResources(), () -> device.statistics().toString());
    assertEquals(0, device.statistics().bytes(), () -> device.statistics().toString());
  }

  /** A device, or null if it could not be opened because of the fault. */
  private @Nullable EngineDevice<?> open(int index) {
    try {
      EngineDevice<?> device = driver.openEngine(name + "://" + index + OPTIONS);
      opened.add(device);
      return device;
    } catch (HalException e) {
      assertReported(e);
      return null;
    }
  }

  private void work(EngineDevice<?> device, EngineDevice<?> other) throws Exception {
    FaultWorkload work = new FaultWorkload(device, other, BufferParams.HOST);
    GpuFaultSteps more = new GpuFaultSteps(device, other);
    boolean pauses = fault.mode() != GpuFault.Mode.RUNNING;
    if (pauses) {
      driver.streams().forEach(stream -> simulator.pause(0, stream));
    }
    work.enqueue();
    if (fault.mode() == GpuFault.Mode.CLOSING) {
      Task<?> closing = Task.run("closing", device::close);
      driver.streams().forEach(this::resumeIfThere);
      work.release();
      closing.join();
      awaitOver(work.steps());
      other.close();
    } else {
      if (pauses) {
        driver.streams().forEach(stream -> simulator.resume(0, stream));
      }
      work.release();
      more.enqueue();
      awaitOver(work.steps());
      awaitOver(more.steps().all());
      work.finish();
      work.probe();
      awaitOver(work.steps());
      if (isDeadly() && work.steps().stream().anyMatch(step -> step.failure() != null)) {
        work.probe(); // the last call may be the first to report it
        awaitOver(work.steps());
      }
      awaitRetired(device);
      awaitRetired(other);
      List<FaultStep<?>> all = new ArrayList<>(work.steps());
      all.addAll(more.steps().all());
      checkSteps(device, other, all);
    }
    more.close();
    work.close();
    device.close();
    other.close();
    work.closeKept();
  }

  /** A stream that was never used, because of the fault, may already be closed. */
  private void resumeIfThere(long stream) {
    try {
      simulator.resume(0, stream);
    } catch (IllegalArgumentException closed) {
      return;
    }
  }

  private static void awaitOver(List<FaultStep<?>> steps) throws InterruptedException {
    for (FaultStep<?> step : steps) {
      step.awaitOver();
    }
  }

  /** Waits until all work has retired. A lost device may keep its resources until it closes. */
  private static void awaitRetired(EngineDevice<?> device) {
    Waits.awaitRetiredOrLost(device);
    if (device.lostCause() != null) {
      device.close();
    }
    DeviceStatistics now = device.statistics();
    assertEquals(0, now.openOperations(), now::toString);
    assertEquals(now.enqueued(), now.retired(), now::toString);
  }

  private void checkSteps(EngineDevice<?> device, EngineDevice<?> other, List<FaultStep<?>> steps) {
    lost = device.lostCause() != null ? device.lostCause() : other.lostCause();
    assertTrue(
        device.lostCause() == null || other.lostCause() == null || !hasContext(),
        () -> "both devices are lost by one: " + device.lostCause() + "; " + other.lostCause());
    List<FaultStep<?>> origins = new ArrayList<>();
    for (FaultStep<?> step : steps) {
      HalException failed = step.failure();
      if (failed == null) {
        step.checkReached();
        continue;
      }
      assertReported(failed);
      if (step.needs.stream().allMatch(need -> need.failure() == null)) {
        origins.add(step);
      }
    }
    if (lost == null) {
      assertTrue(origins.size() <= 1, () -> "steps that failed by themselves: " + origins);
      assertTrue(
          !fault.isSticky() || origins.isEmpty(),
          () -> "a sticky failure loses the device: " + origins);
      return;
    }
    assertTrue(mayLose(), () -> "lost by " + fault);
    assertReported(lost);
    assertEquals(Status.UNAVAILABLE, lost.status(), lost::toString);
  }

  /**
   * A sticky failure on a thread without a context affects all devices. The library for collectives
   * is called with and without one.
   */
  private boolean hasContext() {
    return !roles.isBinding(fault.call()) && !fault.shortName().startsWith("nccl");
  }

  private boolean isDeadly() {
    return fault.isSticky() || fault.isWork();
  }

  private boolean mayLose() {
    return isDeadly() || roles.isLosing(fault.call());
  }

  /** The failure, or one of its causes, names the function that failed, or its code. */
  private void assertReported(HalException reported) {
    for (@Nullable Throwable t = reported; t != null; t = t.getCause()) {
      if (t.toString().contains("returned " + fault.code())) {
        return;
      }
    }
    throw new AssertionError(reported + " does not name " + fault, reported);
  }

  // Leftovers.

  private void checkNothingIsLeft() {
    String failed = fault.shortName();
    boolean mayLeave = roles.isGivingBack(failed);
    if (gpu.keepsContexts() && isDeadly() && !mayLeave) {
      Waits.awaitTrue( // a call that waits for a stream of a dead device fails
          "streams that are destroyed to free their memory",
          () -> !SimulatedDevices.live(gpu).containsKey("memory"));
    }
    List<String> misuses = new ArrayList<>(simulator.misuses());
    Map<String, Long> live = SimulatedDevices.live(gpu);
    if (roles.endsContext(failed)) {
      live.clear(); // the context stays, with its objects
    } else if (roles.endsPool(failed)) {
      live.remove("pool"); // which are no context's
    } else if (failed.equals("ncclCommDestroy")) {
      live.remove("communicator"); // likewise
    } else if (roles.isFreeing(failed)) {
      misuses.removeIf(line -> line.endsWith("of the pool are in use"));
    }
    if (mayLeave) { // a graph that could not be destroyed still has its kernels
      misuses.removeIf(line -> line.contains("nodes of graphs"));
    }
    assertEquals(List.of(), misuses, "misuses");
    if (!gpu.keepsContexts() || !mayLeave) {
      assertEquals(Map.of(), live, "live");
    }
    if (!isDeadly() && !mayLeave && !roles.isFreeing(failed)) {
      assertEquals(Map.of(), simulator.abandoned(), "ended with its context");
    }
  }

  private boolean hasHappened() {
    return fault.isWork()
        ? lost != null
        : fault.nth() > 0 && calls.getOrDefault(fault.call(), 0L) >= fault.nth();
  }

  private void awaitThreadsEnd() {
    Waits.awaitTrue("the threads of the devices to end", () -> !hasThreads(name));
  }

  /** Whether there are threads of a driver's devices in this process. */
  static boolean hasThreads(String driver) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith(driver + "-"));
  }

  private void checkOpensAgain() throws Exception {
    if (!hasHappened() || (isDeadly() && gpu.keepsContexts())) {
      gpu.reset(); // cancels the fault; otherwise the device would stay lost
      simulator.devices(2);
    } else if (roles.endsContext(fault.call()) && fault.isSticky()) {
      return; // a dead context that was not released is as dead for the next device
    }
    EngineDevice<?> device = driver.openEngine(name + "://0" + OPTIONS);
    EngineDevice<?> other = driver.openEngine(name + "://1" + OPTIONS);
    try {
      FaultWorkload work = new FaultWorkload(device, other, BufferParams.HOST);
      work.probe();
      for (FaultStep<?> step : work.steps()) {
        step.awaitOver();
        assertNull(step.failure(), () -> "on a device opened afterwards: " + step);
        step.checkReached();
      }
      work.close();
      work.closeKept();
    } finally {
      device.close();
      other.close();
    }
    assertNotNull(device.info());
  }
}
