// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.Waits;
import org.jhal.spi.NativeCalls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A loss that one native call reports, and perhaps no later one (rule Q7): the device is lost,
 * whatever the purpose of the call.
 */
@CtsSuite(deadlineSeconds = 120)
@Needs(Need.CONTROLS)
@FreshDevice({"inflight=64", "validate=off"}) // nothing orders what runs beside the call
class LossByCallTest {
  /** Calls of an operation that is enqueued and runs. */
  private static final List<String> OF_OPERATIONS =
      List.of(
          "createEvent",
          "submit",
          "issue",
          "command",
          "recordEvent",
          "waitEvent",
          "queryEvent",
          "synchronizeEvent",
          "outcome",
          "hostCompletion",
          "allocAsync",
          "freeAsync");

  private static final List<String> OF_THE_HOST =
      List.of(
          "bindToThread",
          "unbindFromThread",
          "allocate",
          "importHost",
          "importDevice",
          "load",
          "enableAccess",
          "map",
          "flush",
          "invalidate",
          "free",
          "unload");

  /**
   * Calls that lose no open device: a command that fails while the stream runs it fails only its
   * operation, and the others are made while a device is opened or closed.
   */
  private static final List<String> EXCEPTED =
      List.of("execute", "createStream", "closeStream", "destroyEvent", "close");

  /**
   * Calls whose failure is not reported to the program at once. A completion thread binds itself
   * when it starts, which may be as late as this; then its own call may be the one that fails.
   */
  private static final Set<String> UNTOLD =
      Set.of("bindToThread", "unbindFromThread", "free", "unload");

  /** Other work of the device when it is lost. */
  enum Beside {
    /** Parked work only, so nothing else meets the loss. */
    PARKED,
    /** Work in flight on the first queue as well, which is held. */
    IN_FLIGHT
  }

  static Stream<Arguments> cases() {
    return Stream.concat(OF_OPERATIONS.stream(), OF_THE_HOST.stream())
        .flatMap(call -> Stream.of(Beside.values()).map(beside -> Arguments.of(call, beside)));
  }

  /** All work and resources of the device, and their expected ends. */
  private static final class Scene {
    private final Cts cts;
    private final Device device;
    private final @Nullable Device second;
    private final DeviceQueue queue; // the last one
    private final TimelineSemaphore go;
    private final List<TimelineSemaphore> failing = new ArrayList<>();
    private final List<HostMemory> borrowed = new ArrayList<>();
    private final List<AutoCloseable> resources = new ArrayList<>();
    private final AtomicInteger releases = new AtomicInteger();
    private final boolean imports;
    private final DeviceBuffer buffer;
    private long foreign; // the address of memory of the native runtime
    private DeviceBuffer.@Nullable Mapping mapping;
    private @Nullable DeviceBuffer transientBuffer;
    private @Nullable DeviceBuffer freed;
    private @Nullable DeviceBuffer hostBuffer;
    private @Nullable DeviceBuffer ofSecond;
    private @Nullable Executable unloaded;
    private @Nullable Blocker blocker;

    Scene(Cts cts, String call, Beside beside) {
      this.cts = cts;
      this.device = cts.device();
      this.queue = cts.queue(device.queueCount() - 1);
      this.go = cts.semaphore();
      this.buffer = keep(device.allocate(64, BufferParams.DEVICE));
      this.second = call.equals("enableAccess") ? cts.second() : null;
      prepare(call);
      this.imports = device.capabilities().contains(Capability.HOST_IMPORT);
      if (imports) {
        DeviceBuffer imported =
            keep(
                device
                    .allocator()
                    .importHost(
                        ByteBuffer.allocateDirect(64),
                        BufferParams.HOST,
                        releases::incrementAndGet));
        queue.fill(go.at(1), next(), imported, 0, 64, FillPattern.of8(1));
      }
      queue.upload(go.at(1), next(), borrow(), buffer, 0);
      if (beside == Beside.IN_FLIGHT) {
        long before = device.statistics().issued();
        blocker = new Blocker(cts, cts.queue(0));
        failing.add(blocker.timepoint().semaphore());
        // Otherwise the count below could grow by the held work, and the call that fails could be
        // one of the readback.
        Waits.awaitStatistics("held work to be counted", device, now -> now.issued() > before);
        long issued = device.statistics().issued();
        cts.queue(0).readback(Fence.NONE, next(), buffer, 0, borrow());
        Waits.awaitStatistics("work to be issued", device, now -> now.issued() > issued);
      }
    }

    /** Creates the objects for the failing call. */
    private void prepare(String call) {
      switch (call) {
        case "freeAsync" -> {
          TimelineSemaphore made = cts.semaphore();
          transientBuffer = keep(queue.alloca(Fence.NONE, made.at(1), 64, BufferParams.DEVICE));
          Waits.awaitReached(made, 1);
          cts.awaitIdle();
        }
        case "importDevice" -> {
          if (!device.capabilities().contains(Capability.NATIVE_ACCESS)) {
            throw Cts.unsupported("the device does not offer NATIVE_ACCESS");
          }
          NativeCalls calls = ExternalCommands.nativeCalls(device);
          long address = calls.allocate(64);
          resources.add(() -> calls.free(address));
          foreign = address;
        }
        case "free" -> freed = device.allocate(64, BufferParams.DEVICE);
        case "unload" -> unloaded = device.loadExecutable(cts.backend().kernels().get(0));
        case "map" -> hostBuffer = keep(device.allocate(64, BufferParams.HOST));
        case "flush", "invalidate" -> {
          DeviceBuffer mapped = keep(device.allocate(64, BufferParams.HOST));
          mapping = keep(mapped.map(DeviceBuffer.MapMode.READ_WRITE));
        }
        case "enableAccess" -> {
          Device owner = Objects.requireNonNull(second);
          if (!device.canAccess(owner)) {
            throw Cts.unsupported(Need.PEER_MEMORY.absence());
          }
          ofSecond = cts.buffer(owner, 64, BufferParams.DEVICE);
        }
        default -> {}
      }
    }

    private <T extends AutoCloseable> T keep(T resource) {
      resources.add(resource);
      return cts.closing(resource);
    }

    private Fence next() {
      TimelineSemaphore signal = cts.semaphore();
      failing.add(signal);
      return signal.at(1);
    }

    private HostMemory borrow() {
      HostMemory memory = HostMemory.of(new byte[64]);
      borrowed.add(memory);
      return memory;
    }

    /** Causes the call. Records failing signals and borrowed memory. */
    void make(String call) throws Exception {
      switch (call) {
        case "waitEvent" ->
            queue.barrier(Objects.requireNonNull(blocker, "work in flight").timepoint(), next());
        case "allocAsync" -> keep(queue.alloca(Fence.NONE, next(), 64, BufferParams.DEVICE));
        case "freeAsync" ->
            queue.dealloca(Fence.NONE, next(), Objects.requireNonNull(transientBuffer));
        case "allocate", "bindToThread", "unbindFromThread" ->
            keep(device.allocate(64, BufferParams.DEVICE));
        case "importHost" ->
            keep(
                device
                    .allocator()
                    .importHost(ByteBuffer.allocateDirect(64), BufferParams.HOST, null));
        case "importDevice" ->
            keep(device.allocator().importDevice(foreign, 64, BufferParams.DEVICE, null));
        case "load" -> keep(device.loadExecutable(cts.backend().kernels().get(0)));
        case "enableAccess" -> {
          TimelineSemaphore copied = cts.semaphore();
          failing.add(copied);
          queue.copy(Fence.NONE, copied.at(1), Objects.requireNonNull(ofSecond), 0, buffer, 0, 64);
        }
        case "map" -> keep(Objects.requireNonNull(hostBuffer).map(DeviceBuffer.MapMode.READ_WRITE));
        case "flush" -> Objects.requireNonNull(mapping).flush();
        case "invalidate" -> Objects.requireNonNull(mapping).invalidate();
        case "free" -> Objects.requireNonNull(freed).close();
        case "unload" -> Objects.requireNonNull(unloaded).close();
        case "queryEvent", "synchronizeEvent" -> {
          cts.controls().pause(queue); // else it ends before any query or wait
          TimelineSemaphore end = readback();
          try {
            end.await(1, Waits.LIMIT);
            failing.remove(end); // another thread saw it end before this call reported the loss
          } catch (HalException e) {
            assertEquals(Status.UNAVAILABLE, e.status(), e::toString);
          }
        }
        default -> {
          readback();
        }
      }
    }

    /** Reads back. A device that is lost already refuses this, and nothing has to fail. */
    private TimelineSemaphore readback() {
      TimelineSemaphore end = cts.semaphore();
      queue.readback(Fence.NONE, end.at(1), buffer, 0, borrow());
      failing.add(end);
      return end;
    }

    /** Everything on the device fails with the loss, and nothing else does. */
    void checkFailures(String call) {
      for (TimelineSemaphore signal : failing) {
        assertLost(call, awaitFailure(signal, 1));
      }
      assertPending(go, 1);
      assertLost(call, assertHal(Status.UNAVAILABLE, () -> device.allocate(64, BufferParams.HOST)));
      TimelineSemaphore later = cts.semaphore();
      assertLost(
          call, assertHal(Status.UNAVAILABLE, () -> cts.queue(0).barrier(Fence.NONE, later.at(1))));
      assertPending(later, 1);
      if (second != null) {
        TimelineSemaphore other = cts.semaphore(second, 0);
        second.queue(0).barrier(Fence.NONE, other.at(1));
        Waits.awaitReached("work of another device", other.at(1));
      }
    }

    /** Nothing is left when all is closed. */
    void checkRemains() throws Exception {
      cts.controls().reset(); // ends held work, if the device still runs it
      for (AutoCloseable resource : resources) {
        resource.close();
      }
      device.close();
      for (HostMemory memory : borrowed) {
        memory.awaitFree(Waits.LIMIT);
      }
      if (imports) {
        awaitTrue("imported memory to be released", () -> releases.get() > 0);
        assertEquals(1, releases.get(), "releases of imported memory");
      }
      DeviceStatistics statistics = device.statistics();
      assertEquals(statistics.enqueued(), statistics.retired(), statistics::toString);
      assertEquals(0, statistics.buffers(), statistics::toString);
      assertEquals(0, statistics.bytes(), statistics::toString);
    }
  }

  /** It reports the first cause and names no operation, not even the one that made the call. */
  private static void assertLost(String call, HalException failure) {
    assertHal(Status.UNAVAILABLE, failure);
    assertNull(failure.operation(), () -> "a loss that names an operation: " + failure);
    StringBuilder texts = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      texts.append(t).append('\n');
    }
    assertTrue(
        texts.indexOf("use 1 of " + call) >= 0, () -> "the first cause is missing: " + texts);
  }

  /** A new call is to be added to the lists above. */
  @Test
  @Rule("Q7")
  void everyCallIsTestedOrExcepted(Cts cts) {
    Set<String> unknown = new TreeSet<>(cts.controls().calls());
    List.of(OF_OPERATIONS, OF_THE_HOST, EXCEPTED).forEach(unknown::removeAll);
    assertEquals(Set.of(), unknown, "calls whose failure no test of this class lets lose a device");
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"Q7", "Q2", "Q6", "Q8", "Q10", "M7"})
  void aLossReportedByOneCallLosesTheDevice(String call, Beside beside, Cts cts) throws Exception {
    cts.needCall(cts.device(), call);
    if (cts.device().queueCount() == 1 && beside == Beside.IN_FLIGHT) {
      throw Cts.unsupported("with one queue, no work runs beside the held one");
    }
    if (call.equals("waitEvent") && beside == Beside.PARKED) {
      throw Cts.unsupported("without work in flight, no operation waits for an event");
    }
    if (call.equals("importHost")
        && !cts.device().capabilities().contains(Capability.HOST_IMPORT)) {
      throw Cts.unsupported("the device does not offer HOST_IMPORT");
    }
    cts.allowWarnings();
    Scene scene = new Scene(cts, call, beside);
    cts.controls().failNext(call, 1, Status.UNAVAILABLE, false);
    HalException refused = null;
    try {
      scene.make(call);
    } catch (HalException e) {
      refused = e;
    }
    if (refused != null) {
      assertLost(call, refused);
    }
    assertFalse(
        refused == null && OF_THE_HOST.contains(call) && isReported(call),
        call + " was not reported");
    if (call.equals("hostCompletion")) {
      TimelineSemaphore last = scene.failing.get(scene.failing.size() - 1);
      awaitTrue("the readback to end", () -> Waits.isOver(last, 1));
      if (last.failure() == null) {
        throw Cts.unsupported("this driver leaves no part of a readback to the host");
      }
    }
    awaitTrue("the device to be lost by " + call, () -> cts.device().lostCause() != null);
    assertLost(call, Objects.requireNonNull(cts.device().lostCause()));
    scene.checkFailures(call);
    scene.checkRemains();
  }

  /** Whether the caller gets the failure; the copy of "enableAccess" is made by a stream. */
  private static boolean isReported(String call) {
    return !UNTOLD.contains(call) && !call.equals("enableAccess");
  }
}
