// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.recording.Recorded.Outcome;
import org.jhal.recording.format.Recording;
import org.jhal.recording.format.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of a program is in its recording: each test replays it, and compares what is read back. */
class RecordedThingsTest {
  private static final int N = 256;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir private Path folder;
  private Path file;
  private Device device;
  private DeviceQueue queue;
  private TimelineSemaphore done;

  @BeforeEach
  void open() {
    file = folder.resolve("run.jrec");
    device = Hal.openDevice(Recorded.uri("mock://?queues=2", file));
    queue = device.queue(0);
    done = device.createSemaphore();
  }

  @AfterEach
  void close() {
    done.close();
    device.close();
  }

  private static byte[] bytes(int seed) {
    byte[] bytes = new byte[N];
    for (int i = 0; i < N; i++) {
      bytes[i] = (byte) (seed * i + seed);
    }
    return bytes;
  }

  /** Reads a buffer back behind a value, which the replay then compares. */
  private byte[] readBack(DeviceBuffer buffer, long after) throws InterruptedException {
    byte[] read = new byte[N];
    queue.readback(done.at(after), done.at(after + 1), buffer, 0, HostMemory.of(read));
    done.await(after + 1, LIMIT);
    return read;
  }

  private Outcome assertReplays(int readbacks) throws InterruptedException {
    device.close();
    Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertTrue(
        outcome.text().contains("readbacks: " + readbacks + ", all with the bytes"),
        outcome.text());
    return outcome;
  }

  private Outcome assertHermetic(int readbacks) throws InterruptedException {
    Outcome outcome = assertReplays(readbacks);
    assertFalse(outcome.text().contains("not hermetic"), outcome.text());
    return outcome;
  }

  @Test
  void fillsUpdatesAndCopies() throws InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceBuffer b = device.allocate(ElementType.U8, N)) {
      queue.fill(Fence.NONE, done.at(1), a, 0, N, FillPattern.of16(0x1234));
      queue.update(done.at(1), done.at(2), ByteBuffer.wrap(bytes(3), 0, 10), a, 5);
      queue.copy(done.at(2), done.at(3), a, 0, b.slice(0, N), 0, N);
      assertEquals(3, readBack(b, 3)[5]);
    }
    assertHermetic(1);
  }

  /** The bytes of an upload are those that the readback before it brings, on the device's order. */
  @Test
  void anUploadOfWhatAReadbackBrings() throws InterruptedException {
    ByteBuffer host = ByteBuffer.allocateDirect(N).order(ByteOrder.nativeOrder());
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceBuffer b = device.allocate(ElementType.U8, N)) {
      queue.upload(Fence.NONE, done.at(1), HostMemory.of(bytes(5)), a, 0);
      queue.readback(done.at(1), done.at(2), a, 0, HostMemory.of(host));
      device.queue(1).upload(done.at(2), done.at(3), HostMemory.of(host), b, 0);
      assertArrayEquals(bytes(5), readBack(b, 3));
    }
    assertHermetic(2);
  }

  @Test
  void memoryInStreamOrder() throws InterruptedException {
    DeviceBuffer a = queue.alloca(Fence.NONE, done.at(1), N, BufferParams.DEVICE);
    queue.upload(done.at(1), done.at(2), HostMemory.of(bytes(7)), a, 0);
    assertArrayEquals(bytes(7), readBack(a, 2));
    queue.dealloca(done.at(3), done.at(4), a);
    done.await(4, LIMIT);
    assertHermetic(1);
    Recording recording = Recording.read(file);
    assertTrue(
        recording.steps().stream().anyMatch(step -> step instanceof Step.Freed), "the dealloca");
  }

  /** A host call changes memory that a later upload brings to the device. */
  @Test
  void whatAHostCallChanges() throws InterruptedException {
    byte[] host = new byte[N];
    try (DeviceBuffer a = device.allocate(ElementType.U8, N)) {
      queue.hostCall(
          Fence.NONE,
          done.at(1),
          HostCall.Mode.BLOCKING,
          context -> System.arraycopy(bytes(9), 0, host, 0, N));
      queue.upload(done.at(1), done.at(2), HostMemory.of(host), a, 0);
      assertArrayEquals(bytes(9), readBack(a, 2));
    }
    assertHermetic(1);
  }

  @Test
  void importedMemoryOfTheProgram() throws InterruptedException {
    ByteBuffer host = ByteBuffer.allocateDirect(N);
    try (DeviceBuffer imported = device.allocator().importHost(host, BufferParams.HOST, null);
        DeviceBuffer a = device.allocate(ElementType.U8, N)) {
      host.put(0, bytes(11));
      queue.copy(Fence.NONE, done.at(1), imported, 0, a, 0, N);
      assertArrayEquals(bytes(11), readBack(a, 1));
      host.put(0, bytes(13)); // with no call that would say so
      queue.copy(done.at(2), done.at(3), imported, 0, a, 0, N);
      assertArrayEquals(bytes(13), readBack(a, 3));
    }
    assertHermetic(2);
  }

  /** What a kernel writes into memory that is mapped is not taken for what the host writes. */
  @Test
  void theDeviceWritesMappedMemory() throws InterruptedException {
    int rounds = 200;
    try (Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer x = device.allocate(4L * N, BufferParams.DEVICE);
        DeviceBuffer y = device.allocate(4L * N, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = y.map(DeviceBuffer.MapMode.READ_WRITE)) {
      Kernel saxpy = executable.kernel("saxpy");
      queue.fill(Fence.NONE, done.at(1), x, 0, 4L * N, FillPattern.of32(Float.floatToIntBits(1)));
      for (int i = 0; i < N; i++) {
        mapping.bytes().putFloat(4 * i, i);
      }
      for (int round = 1; round <= rounds; round++) {
        queue.dispatch(
            done.at(round), done.at(round + 1), saxpy, saxpy.covering(N), Args.of(N, 1f, x, y));
      }
      float[] read = new float[N];
      queue.readback(done.at(rounds + 1), done.at(rounds + 2), y, 0, HostMemory.of(read));
      done.await(rounds + 2, LIMIT);
      assertEquals(rounds + 7, read[7]);
    }
    assertHermetic(1);
  }

  /** The host writes a part of a page while the device is writing another one. */
  @Test
  void theHostWritesBesideTheDevice() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    try (DeviceBuffer both = device.allocate(2 * N, BufferParams.HOST);
        DeviceBuffer a = device.allocate(ElementType.U8, N);
        TimelineSemaphore written = device.createSemaphore();
        DeviceBuffer.Mapping mapping = both.map(DeviceBuffer.MapMode.READ_WRITE)) {
      DeviceBuffer first = both.slice(0, N);
      device
          .queue(1)
          .external(
              Fence.NONE,
              written.at(1),
              List.of(first),
              context -> {
                assertTrue(release.await(LIMIT.toSeconds(), TimeUnit.SECONDS), "the test");
                context.bytes(first).put(0, bytes(3));
              });
      mapping.bytes().put(N, bytes(5));
      queue.copy(Fence.NONE, done.at(1), both, N, a, 0, N);
      assertArrayEquals(bytes(5), readBack(a, 1));
      release.countDown();
      written.await(1, LIMIT);
      queue.copy(done.at(2), done.at(3), both, 0, a, 0, N);
      assertArrayEquals(bytes(3), readBack(a, 3));
    } finally {
      release.countDown();
    }
    assertHermetic(2);
  }

  /** A readback into mapped memory, which the device then reads without the host: it is said. */
  @Test
  void aReadbackIntoMappedMemory() throws InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceBuffer b = device.allocate(ElementType.U8, N);
        DeviceBuffer mapped = device.allocate(2 * N, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = mapped.map(DeviceBuffer.MapMode.READ_WRITE)) {
      queue.upload(Fence.NONE, done.at(1), HostMemory.of(bytes(7)), a, 0);
      HostMemory half = HostMemory.of(mapping.bytes().slice(N, N));
      queue.readback(done.at(1), done.at(2), a, 0, half);
      queue.copy(done.at(2), done.at(3), mapped, N, b, 0, N);
      assertArrayEquals(bytes(7), readBack(b, 3));
      // Memory beside the mapping is nothing special.
      ByteBuffer other = ByteBuffer.allocateDirect(N);
      queue.readback(done.at(4), done.at(5), a, 0, HostMemory.of(other));
      done.await(5, LIMIT);
    }
    device.close();
    String text = Recorded.replay(file, "mock", null, null).text();
    assertTrue(
        text.contains("not hermetic: what an operation (readback) has written is not recorded\n"),
        text);
  }

  /** The program may go on writing by a mapping whose memory the close of the device has freed. */
  @Test
  void aMappingThatOutlivesItsMemory() throws InterruptedException {
    DeviceBuffer a = device.allocate(N, BufferParams.HOST);
    DeviceBuffer.Mapping mapping = a.map(DeviceBuffer.MapMode.WRITE);
    device.close();
    mapping.bytes().put(0, (byte) 1);
    mapping.close();
    a.close();
    assertHermetic(0);
  }

  @Test
  void filesAreReadAsTheirBytes() throws IOException, InterruptedException {
    Path data = Files.write(folder.resolve("data"), bytes(15));
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceFile opened = device.openFile(data, StandardOpenOption.READ)) {
      queue.read(Fence.NONE, done.at(1), opened, 0, a, 0, N);
      assertArrayEquals(bytes(15), readBack(a, 1));
    }
    Files.delete(data);
    assertHermetic(1);
  }

  @Test
  void externalWorkByWhatItLeaves() throws InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N)) {
      queue.external(
          Fence.NONE, done.at(1), List.of(a), context -> context.bytes(a).put(0, bytes(17)));
      assertArrayEquals(bytes(17), readBack(a, 1));
    }
    assertHermetic(1);
  }

  /**
   * Where the device goes on at once, what external work has left is gone before the host looks:
   * then nothing is recorded of it, rather than what came after it.
   */
  @Test
  void externalWorkThatIsOverwrittenAtOnce() throws InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceBuffer b = device.allocate(ElementType.U8, N)) {
      TimelineSemaphore begin = device.createSemaphore();
      queue.external(
          begin.at(1), done.at(1), List.of(a), context -> context.bytes(a).put(0, bytes(17)));
      queue.copy(done.at(1), done.at(2), a, 0, b, 0, N);
      queue.fill(done.at(2), done.at(3), a, 0, N, FillPattern.ZERO);
      begin.signal(1);
      assertArrayEquals(bytes(17), readBack(b, 3));
      begin.close();
    }
    device.close();
    Outcome outcome = Recorded.replay(file, "mock", null, null);
    assertTrue(
        outcome.exitCode() == 0
            || outcome.text().contains("not hermetic: what an operation (external"),
        outcome.text());
  }

  @Test
  void twoDevicesAndACopyBetweenThem() throws InterruptedException {
    try (Device other = Hal.openDevice(Recorded.uri("mock://1?devices=2&peers=none", file));
        DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceBuffer b = other.allocate(ElementType.U8, N)) {
      queue.upload(
          Fence.NONE, done.at(1), HostMemory.of(bytes(19)), b.device() == other ? a : b, 0);
      queue.copy(done.at(1), done.at(2), a, 0, b, 0, N);
      byte[] read = new byte[N];
      other.queue(0).readback(done.at(2), done.at(3), b, 0, HostMemory.of(read));
      done.await(3, LIMIT);
      assertArrayEquals(bytes(19), read);
    }
    String text = assertHermetic(1).text();
    assertTrue(text.contains("operations of mock-0, mock-1"), text);
  }

  /** A failed operation may have written anything; what depends on it has failed as well. */
  @Test
  void aFailureIsLeftOutAndSaid() throws InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        TimelineSemaphore failed = device.createSemaphore()) {
      queue.external(
          Fence.NONE,
          failed.at(1),
          List.of(a),
          context -> {
            throw new IllegalStateException("on purpose");
          });
      assertThrows(HalException.class, () -> failed.await(1, LIMIT));
      queue.upload(Fence.NONE, done.at(1), HostMemory.of(bytes(21)), a, 0);
      assertArrayEquals(bytes(21), readBack(a, 1));
    }
    String text = assertReplays(1).text();
    assertTrue(text.contains("not hermetic: an operation (external"), text);
    assertTrue(text.contains("failed with ABORTED"), text);
  }

  /** A kernel that nothing but the program has. */
  @Test
  void kernelsThatAreObjectsAreMissing() throws InterruptedException {
    try (Executable executable =
            device.loadExecutable(
                ExecutableSource.builder("own")
                    .kernel("nothing", 1, Parameter.inout("data", ElementType.U8))
                    .java("nothing", group -> {})
                    .build());
        DeviceBuffer a = device.allocate(ElementType.U8, N)) {
      Kernel kernel = executable.kernel("nothing");
      queue.dispatch(Fence.NONE, done.at(1), kernel, kernel.covering(1), Args.of(a));
      done.await(1, LIMIT);
    }
    device.close();
    Recording recording = Recording.read(file);
    assertEquals(
        List.of("the kernels that are Java objects of the program"),
        recording.bundles().get(0).missing());
    String text = Recorded.replay(file, "mock", null, null).text();
    assertTrue(text.contains("not hermetic: bundle own lacks the kernels"), text);
    assertTrue(text.contains("not hermetic: dispatches of bundle own were left out"), text);
  }

  /** What is in memory that nothing has written is chance, and so is what comes of it. */
  @Test
  void memoryThatNothingHasWrittenIsNotCompared() throws InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N);
        DeviceBuffer b = device.allocate(ElementType.U8, N)) {
      queue.fill(Fence.NONE, done.at(1), a, 0, N - 1, FillPattern.ZERO);
      var part = readBack(a, 1); // one byte is not written
      queue.copy(done.at(2), done.at(3), a, 0, b, 1, N - 1);
      part = readBack(b, 3); // nor is one here
      queue.fill(done.at(4), done.at(5), b, 0, 1, FillPattern.ZERO);
      part = readBack(b, 5);
      assertEquals(0, part[N - 1]);
    }
    String text = assertHermetic(1).text();
    assertTrue(text.contains("not compared: 2 readbacks"), text);
  }

  /** Nothing of the environment, no path, and none of the bytes of a failure's text. */
  @Test
  void noPathsAndNoEnvironment() throws IOException, InterruptedException {
    try (DeviceBuffer a = device.allocate(ElementType.U8, N)) {
      queue.upload(Fence.NONE, done.at(1), HostMemory.of(bytes(23)), a, 0);
      var unused = readBack(a, 1);
    }
    device.close();
    String all = Files.readString(file, StandardCharsets.ISO_8859_1);
    assertFalse(all.contains(folder.toString()), "the folder of the recording");
    assertFalse(all.contains(System.getProperty("user.home")), "the home");
    assertFalse(all.contains(System.getProperty("user.name") + "@"), "the user");
  }

  @Test
  void theInnerNameMayHaveOptions() {
    DeviceUri inner =
        RecordDriver.inner(
            DeviceUri.parse(
                "record://1?of=mock://%3Fseed=7%26queues=3&file=a%26b.jrec&devices=2&queues=4"));
    assertEquals("mock", inner.driver());
    assertEquals("1", inner.selector());
    assertEquals("7", inner.options().get("seed"));
    assertEquals("4", inner.options().get("queues"), "the outer one");
    assertEquals("2", inner.options().get("devices"));
    assertEquals("a&b.jrec", inner.options().get("record"));
    assertEquals(4, inner.options().size());
  }

  @Test
  void aNameWithoutADeviceOrAFileIsRefused() {
    for (String uri :
        List.of("record", "record://?of=mock", "record://?file=x", "record://?of=&file=x")) {
      HalException refused = assertThrows(HalException.class, () -> Hal.openDevice(uri));
      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertTrue(refused.getMessage().contains("record://?of=URI&file=FILE"), uri);
    }
    assertThrows(
        HalException.class, () -> Hal.openDevice("record://?of=record://%3Fof=mock&file=x"));
  }

  @Test
  void aFileThatCannotBeWrittenRefusesTheDevice() {
    HalException refused =
        assertThrows(
            HalException.class,
            () -> Hal.openDevice(Recorded.uri("mock", folder.resolve("no/such/folder"))));
    assertEquals(Status.NOT_FOUND, refused.status(), refused.getMessage());
  }

  /** The property records any device of the process. */
  @Test
  void aPropertyRecordsAllDevices() throws InterruptedException {
    Path other = folder.resolve("all.jrec");
    System.setProperty("jhal.record", other.toString());
    try (Device plain = Hal.openDevice("mock");
        DeviceBuffer a = plain.allocate(ElementType.U8, N);
        TimelineSemaphore filled = plain.createSemaphore()) {
      plain.queue(0).fill(Fence.NONE, filled.at(1), a, 0, N, FillPattern.ZERO);
      filled.await(1, LIMIT);
    } finally {
      System.clearProperty("jhal.record");
    }
    assertEquals(1, Recording.read(other).operations());
  }
}
