// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.I64;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.inout;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What writes or reads outside a buffer is named, and damages nothing else. */
@Timeout(120)
@NeedsCompiler
class OverwrittenTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String SOURCE =
      """
      extern "C" __global__ void put(int* out, long long at, long long count) {
        for (long long i = 0; i < count; i++) out[at + i] = 0x12345678;
      }
      extern "C" __global__ void get(int* out, long long at, long long count) {
        int sum = 0;
        for (long long i = 0; i < count; i++) sum += out[at + i];
        out[0] = sum;
      }
      extern "C" __global__ void bystander(int* out, long long at, long long count) { out[0] = 1; }
      """;

  /** How the buffer comes to be. */
  enum Kind {
    ALLOCATED,
    SHARED,
    FROM_ALLOCA
  }

  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final Logger logger = Logger.getLogger("org.jhal.cpu.CpuDevice");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          logged.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private Device device;
  private Executable kernels;

  @BeforeEach
  void open() {
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    device = Hal.openDevice("cpu://?threads=2&memory=64m");
    kernels =
        device.loadExecutable(
            ExecutableSource.builder("bounds")
                .kernel("put", 1, inout("out", I32), constant("at", I64), constant("count", I64))
                .kernel("get", 1, inout("out", I32), constant("at", I64), constant("count", I64))
                .kernel(
                    "bystander", 1, inout("out", I32), constant("at", I64), constant("count", I64))
                .cpp(SOURCE)
                .build());
  }

  @AfterEach
  void close() {
    kernels.close();
    device.close();
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  private DeviceBuffer buffer(Kind kind, long size) throws InterruptedException {
    if (kind != Kind.FROM_ALLOCA) {
      return device.allocate(size, kind == Kind.SHARED ? BufferParams.SHARED : BufferParams.DEVICE);
    }
    AtomicReference<DeviceBuffer> made = new AtomicReference<>();
    step(
        (queue, waits, signals) ->
            made.set(queue.alloca(waits, signals, size, BufferParams.DEVICE)));
    return made.get();
  }

  private void end(Kind kind, DeviceBuffer buffer) throws InterruptedException {
    if (kind == Kind.FROM_ALLOCA) {
      step((queue, waits, signals) -> queue.dealloca(waits, signals, buffer));
    }
    buffer.close();
  }

  private interface Step {
    void enqueue(DeviceQueue queue, Fence waits, Fence signals);
  }

  private void step(Step step) throws InterruptedException {
    try (Sequence steps = device.createSequence()) {
      steps.step((waits, signals) -> step.enqueue(device.queue(0), waits, signals));
      steps.await(LIMIT);
    }
  }

  private void run(String kernel, DeviceBuffer buffer, long at, long count)
      throws InterruptedException {
    Args args = Args.of(buffer, at, count);
    step(
        (q, waits, signals) ->
            q.dispatch(waits, signals, kernels.kernel(kernel), Workgroups.of(1), args));
  }

  /** Runs a kernel that fails, and returns the message. */
  private String failure(String kernel, DeviceBuffer buffer, long at, long count) {
    HalException failed = assertThrows(HalException.class, () -> run(kernel, buffer, at, count));
    assertEquals(Status.ABORTED, failed.status(), failed::getMessage);
    String message = String.valueOf(failed.getMessage());
    assertTrue(message.contains("dispatch of bounds:" + kernel), message);
    return message;
  }

  private static void assertContains(String part, String message) {
    assertTrue(message.contains(part), () -> "'" + part + "' is not in: " + message);
  }

  private long address(DeviceBuffer buffer) throws InterruptedException {
    AtomicLong address = new AtomicLong();
    step(
        (queue, waits, signals) ->
            queue.external(
                waits, signals, List.of(buffer), context -> address.set(context.address(buffer))));
    return address.get();
  }

  private byte[] contents(DeviceBuffer buffer) throws InterruptedException {
    byte[] bytes = new byte[(int) buffer.size()];
    step((q, waits, signals) -> q.readback(waits, signals, buffer, 0, HostMemory.of(bytes)));
    return bytes;
  }

  // Small buffers.

  @ParameterizedTest
  @EnumSource
  void aWritePastTheEndOfASmallBufferFailsItsDispatch(Kind kind) throws Exception {
    for (long size : new long[] {4, 60, 64, 100, 4096, 12_000}) {
      DeviceBuffer buffer = buffer(kind, size);
      String one = failure("put", buffer, size / 4, 1);
      assertContains("up to 4 bytes past the end of 'out', which has " + size + " bytes", one);
      String many = failure("put", buffer, size / 4 - 1, 17);
      assertContains("64 bytes or more past the end of 'out', which has " + size, many);
      String last = failure("put", buffer, size / 4 + 15, 1);
      assertContains("64 bytes or more past the end of 'out'", last);
      run("put", buffer, 0, size / 4); // the bytes behind it were mended
      byte[] expected = new byte[(int) size];
      for (int i = 0; i < size; i++) {
        expected[i] = (byte) (0x12345678 >> i % 4 * 8);
      }
      assertEquals(Arrays.toString(expected), Arrays.toString(contents(buffer)));
      end(kind, buffer);
    }
    assertEquals(List.of(), logged);
    assertNull(device.lostCause());
  }

  @ParameterizedTest
  @EnumSource
  void aWriteBeforeTheStartOfASmallBufferFailsItsDispatch(Kind kind) throws Exception {
    for (long size : new long[] {4, 64, 4096, 12_000}) {
      DeviceBuffer buffer = buffer(kind, size);
      assertContains(
          "up to 4 bytes before the start of 'out', which has " + size + " bytes",
          failure("put", buffer, -1, 1));
      assertContains("64 bytes or more before the start of 'out'", failure("put", buffer, -16, 16));
      String both = failure("put", buffer, -3, size / 4 + 8);
      assertContains("up to 12 bytes before the start of and up to 20 bytes past the end of", both);
      run("put", buffer, 0, size / 4);
      end(kind, buffer);
    }
    assertEquals(List.of(), logged);
  }

  @Test
  void theFailureNamesWhatHasUsedTheBufferBefore() throws Exception {
    try (DeviceBuffer buffer = buffer(Kind.ALLOCATED, 64)) {
      byte[] bytes = new byte[64];
      step((q, waits, signals) -> q.upload(waits, signals, HostMemory.of(bytes), buffer, 0));
      step((q, waits, signals) -> q.fill(waits, signals, buffer, 0, 64, FillPattern.of8(1)));
      run("get", buffer, 0, 16);
      run("bystander", buffer, 0, 16);
      assertTrue(
          failure("put", buffer, 16, 1)
              .endsWith("; used before by kernel bystander, kernel get, a fill"));
    }
  }

  /** The dispatches of one command buffer are looked at together, so all that use it are named. */
  @Test
  void aCommandBufferNamesTheKernelsThatUseTheBuffer() throws Exception {
    try (DeviceBuffer first = buffer(Kind.ALLOCATED, 64);
        DeviceBuffer second = buffer(Kind.ALLOCATED, 64);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      dispatch(commands, "bystander", first, 0, 1);
      dispatch(commands, "bystander", second, 0, 1);
      dispatch(commands, "put", second, 16, 3);
      commands.end();
      HalException failed =
          assertThrows(
              HalException.class,
              () -> step((q, waits, signals) -> q.execute(waits, signals, commands)));
      assertContains(
          "outside a buffer of kernel bystander or kernel put: up to 12 bytes past the end of 'out'",
          String.valueOf(failed.getMessage()));
    }
  }

  private void dispatch(
      CommandBuffer commands, String kernel, DeviceBuffer buffer, long at, long count) {
    commands.dispatch(kernels.kernel(kernel), Workgroups.of(1), Args.of(buffer, at, count));
  }

  @Test
  void aWriteOutsideASliceButInsideItsBufferIsNoFailure() throws Exception {
    try (DeviceBuffer buffer = buffer(Kind.ALLOCATED, 4096);
        DeviceBuffer slice = buffer.slice(1024, 1024)) {
      run("put", slice, -256, 1024);
      assertContains(
          "up to 4 bytes past the end of 'out', which has 4096 bytes",
          failure("put", slice, 768, 1));
    }
  }

  /** Another device's operation, and this one's, find it alike. */
  @Test
  void aWritePastTheEndThroughAPeerFailsItsDispatch() throws Exception {
    try (Device other = Hal.openDevice("cpu://1?devices=2&threads=1");
        DeviceBuffer home = other.allocate(64, BufferParams.DEVICE);
        DeviceBuffer buffer = device.allocator().importPeer(home)) {
      assertContains("up to 4 bytes past the end of 'out'", failure("put", buffer, 16, 1));
    }
    assertEquals(List.of(), logged);
  }

  /** The other queue's operations find nothing, as the bytes were mended. */
  @ParameterizedTest
  @EnumSource
  void anOperationOfAnotherQueueIsNotAffected(Kind kind) throws Exception {
    DeviceBuffer buffer = buffer(kind, 100);
    Args args = Args.of(buffer, 25L, 1L);
    HalException failed =
        assertThrows(
            HalException.class,
            () -> {
              try (Sequence steps = device.createSequence()) {
                steps.step(
                    (waits, signals) ->
                        device
                            .queue(1)
                            .dispatch(
                                waits, signals, kernels.kernel("put"), Workgroups.of(1), args));
                steps.await(LIMIT);
              }
            });
    assertContains("cpu-0-q1 operation", String.valueOf(failed.getMessage()));
    assertContains("up to 4 bytes past the end of 'out'", String.valueOf(failed.getMessage()));
    run("bystander", buffer, 0, 1);
    end(kind, buffer);
    assertEquals(List.of(), logged);
  }

  @Test
  void externalWorkThatWritesPastTheEndFails() throws Exception {
    try (DeviceBuffer fine = buffer(Kind.ALLOCATED, 64);
        DeviceBuffer buffer = buffer(Kind.ALLOCATED, 100)) {
      HalException failed =
          assertThrows(
              HalException.class,
              () ->
                  step(
                      (q, waits, signals) ->
                          q.external(
                              waits,
                              signals,
                              List.of(fine, buffer),
                              context ->
                                  new Pointer(context.address(buffer)).setInt(100, 0x12345678))));
      assertContains(
          "outside a buffer of external work: up to 4 bytes past the end of buffer 1, which has 100",
          String.valueOf(failed.getMessage()));
    }
    assertEquals(List.of(), logged);
  }

  // What no operation that uses the buffer finds.

  /** Writes around a buffer that the writer does not use, as a wild pointer would. */
  private void overwrite(DeviceBuffer buffer) throws InterruptedException {
    new Pointer(address(buffer)).setInt(buffer.size() + 4, 0x12345678);
  }

  private void assertLogged(long size) {
    awaitTrue("a report of the overwritten buffer", () -> !logged.isEmpty());
    String expected =
        "memory was overwritten outside a buffer of cpu-0: up to 8 bytes past the end of the buffer,"
            + " which has %s bytes; last used by external work, kernel put";
    assertEquals(List.of(String.format(Locale.ROOT, expected, size)), logged);
  }

  @ParameterizedTest
  @EnumSource
  void theFreeOfAnOverwrittenBufferIsLogged(Kind kind) throws Exception {
    DeviceBuffer buffer = buffer(kind, 100);
    run("put", buffer, 0, 25);
    overwrite(buffer);
    end(kind, buffer);
    assertLogged(100);
  }

  @Test
  void theCloseOfTheDeviceLogsOverwrittenBuffers() throws Exception {
    DeviceBuffer buffer = buffer(Kind.ALLOCATED, 100);
    run("put", buffer, 0, 25);
    overwrite(buffer);
    kernels.close();
    device.close();
    assertLogged(100);
    buffer.close();
    assertEquals(1, logged.size());
  }

  @Test
  void aBufferWhoseViewLivesIsLookedAtWhenItIsClosed() throws Exception {
    DeviceBuffer buffer = buffer(Kind.SHARED, 100);
    run("put", buffer, 0, 25);
    overwrite(buffer);
    ByteBuffer view;
    try (DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE)) {
      view = mapping.bytes();
    }
    buffer.close();
    assertLogged(100);
    assertEquals(0x78, view.get(0));
  }

  @Test
  void manyOverwrittenBuffersAreLoggedTenTimes() throws Exception {
    for (int i = 0; i < 25; i++) {
      DeviceBuffer buffer = buffer(Kind.ALLOCATED, 100);
      overwrite(buffer);
      buffer.close();
    }
    awaitTrue("ten reports", () -> logged.size() >= 10);
    device.close();
    assertEquals(10, logged.size());
    // The last operation of a buffer may free it on another thread, which may log it later.
    String end = "; further buffers like this are not logged";
    assertEquals(1, logged.stream().filter(message -> message.endsWith(end)).count(), end);
  }

  // Large buffers.

  @ParameterizedTest
  @EnumSource
  void anAccessPastTheEndOfALargeBufferFaults(Kind kind) throws Exception {
    for (long size : new long[] {16_384, 65_536, 100_032, 1 << 20, (5 << 20) + 64}) {
      DeviceBuffer buffer = buffer(kind, size);
      for (String kernel : List.of("put", "get")) {
        assertContains(
            ", 0 bytes past the end of 'out', which has " + size + " bytes",
            failure(kernel, buffer, size / 4, 1));
        assertContains(
            ", 4000 bytes past the end of 'out'", failure(kernel, buffer, size / 4 + 1000, 16));
      }
      run("get", buffer, 0, size / 4);
      end(kind, buffer);
    }
    assertEquals(List.of(), logged);
    assertNull(device.lostCause());
  }

  /** Between its end and the guard lie the bytes that its alignment leaves. */
  @ParameterizedTest
  @EnumSource
  void aWriteJustPastTheEndOfALargeBufferFailsItsDispatch(Kind kind) throws Exception {
    long size = 100_004; // 28 bytes are left
    DeviceBuffer buffer = buffer(kind, size);
    assertContains(
        "up to 28 bytes past the end of 'out', which has 100004 bytes",
        failure("put", buffer, size / 4, 7));
    assertContains(", 28 bytes past the end of 'out'", failure("put", buffer, size / 4 + 7, 1));
    end(kind, buffer);
    assertEquals(List.of(), logged);
  }

  @ParameterizedTest
  @EnumSource
  void anAccessBeforeTheStartOfALargeBufferIsFound(Kind kind) throws Exception {
    DeviceBuffer pages = buffer(kind, 1 << 20);
    for (String kernel : List.of("put", "get")) {
      assertContains(
          ", 4 bytes before the start of 'out', which has 1048576 bytes",
          failure(kernel, pages, -1, 1));
    }
    end(kind, pages);
    DeviceBuffer other = buffer(kind, 100_000);
    assertContains(
        "up to 4 bytes before the start of 'out', which has 100000 bytes",
        failure("put", other, -1, 1));
    end(kind, other);
    assertEquals(List.of(), logged);
  }

  /** Memory that is used again has another size and so other bounds. */
  @Test
  void aBufferInMemoryThatWasUsedBeforeHasItsOwnBounds() throws Exception {
    for (long size = 100_000; size > 98_400; size -= 100) { // all in the same pages
      try (DeviceBuffer buffer = buffer(Kind.ALLOCATED, size)) {
        run("put", buffer, 0, size / 4);
        if (size % 64 != 0) {
          assertContains(
              "up to 4 bytes past the end of 'out', which has " + size,
              failure("put", buffer, size / 4, 1));
        }
      }
    }
    assertEquals(List.of(), logged);
  }

  // What stays as it was.

  @Test
  void buffersAreAlignedAndMemoryIsGivenBack() throws Exception {
    for (int round = 0; round < 3; round++) {
      for (long size : new long[] {0, 1, 63, 64, 65, 1000, 16_383, 16_384, 16_385, 40 << 20}) {
        for (Kind kind : Kind.values()) {
          DeviceBuffer buffer = buffer(kind, size); // 64 MiB hold one of 40 MiB
          assertEquals(0, address(buffer) % 64, () -> size + " bytes");
          if (size > 8) {
            failure("put", buffer, size / 4 + 1, 1);
          }
          end(kind, buffer);
          // The last operation lets go of it a little after it is over.
          awaitTrue("all memory is free", () -> device.statistics().bytes() == 0);
        }
      }
    }
    assertEquals(List.of(), logged);
  }

  /** Of memory that the program has imported, only the program knows what lies beside it. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 12, 1 << 20})
  void importedMemoryHasNoBoundsThatAreChecked(int size) throws Exception {
    ByteBuffer all = ByteBuffer.allocateDirect(3 * size);
    ByteBuffer middle = all.slice(size, size);
    try (DeviceBuffer buffer = device.allocator().importHost(middle, BufferParams.SHARED, null)) {
      run("put", buffer, -16, size / 4 + 32);
    }
    assertEquals(0x78, all.get(size - 64));
    assertEquals(0x78, all.get(2 * size + 60));
    assertEquals(0, all.get(size - 65));
    assertEquals(0, all.get(2 * size + 64));
    assertEquals(List.of(), logged);
  }
}
