// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.driver.Command.Kind;
import org.jhal.driver.DeviceBackend;
import org.jhal.engine.queue.FakeStream.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A command of a kind that a driver does not support never reaches its stream (rule D4). */
@Timeout(60)
class CommandKindsTest {
  private static final String MANIFEST =
      """
      {"version": 1, "name": "nothing",
       "kernels": [{"name": "f", "parameters": [], "workgroupSize": [1]}],
       "variants": [{"format": "fake", "file": "f"}]}
      """;

  /** Kinds that cannot be recorded. */
  private static final Set<Kind> ONLY_QUEUES =
      Set.of(Kind.UPLOAD, Kind.READBACK, Kind.EXTERNAL, Kind.EVENT);

  @TempDir private Path folder;

  private final FakeBackend backend = new FakeBackend();

  private EngineDevice<Event> open() {
    return backend.open(1, Duration.ofSeconds(30));
  }

  private Executable load(EngineDevice<Event> device) throws IOException {
    Files.writeString(folder.resolve("manifest.json"), MANIFEST);
    return device.loadExecutable(ExecutableSource.of(folder));
  }

  /** Enqueues a command. Returns false if queues have no such commands. */
  private static boolean enqueue(
      Kind kind, DeviceQueue queue, Fence done, DeviceBuffer buffer, Executable code) {
    switch (kind) {
      case FILL -> queue.fill(Fence.NONE, done, buffer, 0, 4, FillPattern.ZERO);
      case UPDATE -> queue.update(Fence.NONE, done, ByteBuffer.allocate(4), buffer, 0);
      case UPLOAD -> queue.upload(Fence.NONE, done, ByteBuffer.allocate(4), buffer, 0);
      case READBACK ->
          queue.readback(Fence.NONE, done, buffer, 0, HostMemory.of(ByteBuffer.allocate(4)));
      case COPY -> queue.copy(Fence.NONE, done, buffer, 0, buffer, 4, 4);
      case DISPATCH ->
          queue.dispatch(Fence.NONE, done, code.kernel("f"), Workgroups.of(1), Args.of());
      case INDIRECT_DISPATCH ->
          queue.dispatch(
              Fence.NONE, done, code.kernel("f"), IndirectWorkgroups.of(buffer), Args.of());
      case EXTERNAL -> queue.external(Fence.NONE, done, List.of(buffer), context -> {});
      case EVENT -> queue.importEvent(done, 1, null);
      case BARRIER -> {
        return false; // DeviceQueue.barrier() makes no command
      }
    }
    return true;
  }

  /** Records a command. Returns false if it cannot be recorded. */
  private static boolean record(
      Kind kind, CommandBuffer commands, DeviceBuffer buffer, Executable code) {
    switch (kind) {
      case FILL -> commands.fill(buffer, 0, 4, FillPattern.ZERO);
      case UPDATE -> commands.update(ByteBuffer.allocate(4), buffer, 0);
      case UPLOAD, READBACK, EXTERNAL, EVENT -> {
        return false;
      }
      case COPY -> commands.copy(buffer, 0, buffer, 4, 4);
      case DISPATCH -> commands.dispatch(code.kernel("f"), Workgroups.of(1), Args.of());
      case INDIRECT_DISPATCH ->
          commands.dispatch(code.kernel("f"), IndirectWorkgroups.of(buffer), Args.of());
      case BARRIER -> commands.barrier();
    }
    return true;
  }

  private static void assertRefused(Kind kind, org.junit.jupiter.api.function.Executable call) {
    HalException refused = assertThrows(HalException.class, call);
    assertEquals(Status.UNIMPLEMENTED, refused.status());
    assertTrue(
        refused.getMessage().startsWith("fake-0 runs no commands of kind " + kind + "; it runs ["),
        refused::getMessage);
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheUnsupportedKindIsRefused(Kind missing) throws Exception {
    backend.commands = EnumSet.complementOf(EnumSet.of(missing));
    try (EngineDevice<Event> device = open();
        Executable code = load(device);
        DeviceBuffer buffer = device.allocate(12, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT);
        TimelineSemaphore done = device.createSemaphore(0)) {
      DeviceQueue queue = device.queue(0);
      long accepted = 0;
      for (Kind kind : Kind.values()) {
        Fence next = done.at(accepted + 1);
        if (kind != missing) {
          accepted += enqueue(kind, queue, next, buffer, code) ? 1 : 0;
          record(kind, commands, buffer, code);
          continue;
        }
        if (kind != Kind.BARRIER) {
          assertRefused(kind, () -> enqueue(kind, queue, next, buffer, code));
        }
        if (!ONLY_QUEUES.contains(kind)) {
          assertRefused(kind, () -> record(kind, commands, buffer, code));
        }
      }
      commands.end();
      queue.execute(Fence.NONE, done.at(accepted + 1), commands);
      done.await(accepted + 1, Duration.ofSeconds(30));
      assertEquals(accepted + 1, device.statistics().enqueued());
    }
  }

  @Test
  void aDriverWithoutCommandsWaitsAndSignals() throws Exception {
    backend.commands = Set.of();
    try (EngineDevice<Event> device = open();
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(Fence.NONE, done.at(1));
      done.await(1, Duration.ofSeconds(30));
    }
  }

  /** A kind that is added later must not reach existing drivers. */
  @Test
  void theKindsThatEveryDriverRunsNeverGrow() {
    assertEquals(
        Set.of("FILL", "UPDATE", "UPLOAD", "READBACK", "COPY", "DISPATCH", "BARRIER"),
        Set.copyOf(DeviceBackend.BASE_COMMANDS.stream().map(Kind::name).toList()));
  }
}
