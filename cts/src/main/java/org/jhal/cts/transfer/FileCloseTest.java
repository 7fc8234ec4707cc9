// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestFolder.content;
import static org.jhal.cts.support.Waits.LIMIT;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.jhal.cts.support.Waits.becomesTrue;
import static org.jhal.cts.support.Waits.expired;
import static org.jhal.cts.support.Waits.pollReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HookedChannel;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/** Files and devices that are closed or lost during reads and writes: rule M9. */
@CtsSuite
class FileCloseTest {
  private static final int SIZE = (41 << 20) + 1; // more than is in flight at a time

  /** A file whose third read or write waits for the test. */
  private static final class HeldFile {
    final Path path;
    final TimelineSemaphore go;
    final HookedChannel channel;
    final DeviceFile file;

    HeldFile(Cts cts, byte[] content) {
      TestFolder folder = new TestFolder(cts);
      path = folder.file("file", content);
      TimelineSemaphore held = new TestSemaphore(cts).semaphore;
      go = held;
      channel =
          new HookedChannel(
              folder.channel(path, READ, WRITE),
              nth -> {
                if (nth == 3) {
                  pollReached(held, 1);
                }
                return HookedChannel.ALL;
              });
      file = cts.closing(cts.device().wrapFile(channel));
    }

    void awaitHeld() {
      awaitTrue("the third part of a file", () -> channel.calls() >= 3);
    }
  }

  /**
   * A semaphore of the device under test that is signalled at the end of the test at the latest.
   */
  private static final class TestSemaphore implements AutoCloseable {
    final TimelineSemaphore semaphore;

    TestSemaphore(Cts cts) {
      semaphore = cts.semaphore();
      cts.closing(this);
    }

    @Override
    public void close() {
      if (semaphore.value() == 0) {
        semaphore.signal(1);
      }
    }
  }

  private static TimelineSemaphore move(
      boolean reads, Cts cts, Fence waits, DeviceFile file, DeviceBuffer buffer, long length) {
    TimelineSemaphore done = cts.semaphore();
    if (reads) {
      cts.queue().read(waits, done.at(1), file, 0, buffer, 0, length);
    } else {
      cts.queue().write(waits, done.at(1), file, 0, buffer, 0, length);
    }
    return done;
  }

  /** How many open file handles of this process refer to {@code path}. */
  private static long handles(Path path) {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      Path real = path.toRealPath();
      return all.filter(each -> leadsTo(each, real)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean leadsTo(Path handle, Path path) {
    try {
      return Files.readSymbolicLink(handle).equals(path);
    } catch (IOException e) { // the handle was closed
      return false;
    }
  }

  /**
   * Checks that the call of close() has closed the file. If not, the failure says whether another
   * thread closes it, which still held it then, or nobody does.
   */
  private static void assertClosed(Path path) {
    long left = handles(path);
    if (left != 0) {
      AssertionFailedError failure = expired(left + " handles after close()", null);
      boolean isLate = becomesTrue(LIMIT, () -> handles(path) == 0);
      failure.addSuppressed(
          new AssertionFailedError(
              isLate ? "another thread has closed them later" : "they stay open"));
      throw failure;
    }
  }

  private static void needHandles() {
    if (!Files.isDirectory(Path.of("/proc/self/fd"))) {
      throw Cts.unsupported("the open files of this process cannot be listed");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q2", "Q3"})
  void aFileMayBeClosedWhileItIsUsed(boolean reads, Cts cts) {
    needHandles();
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(64));
    DeviceFile file = folder.open(path, READ, WRITE);
    DeviceBuffer buffer = cts.buffer(bytes(64));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore one = move(reads, cts, go.at(1), file, buffer, 64);
    TimelineSemaphore two = move(reads, cts, go.at(2), file, buffer, 64);
    file.close();
    file.close();
    assertHal(
        Status.FAILED_PRECONDITION, () -> move(reads, cts, Fence.NONE, file, buffer, 64), "closed");
    go.signal(1);
    awaitReached(one, 1);
    assertEquals(1, handles(path), "handles while the file is used");
    go.signal(2);
    awaitReached(two, 1);
    awaitTrue("the file to be closed", () -> handles(path) == 0);
  }

  /** The program may then rename or delete the file. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q9"})
  void closingAFileAfterTheSignalReleasesItsHandle(boolean reads, Cts cts) {
    needHandles();
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(64));
    DeviceBuffer buffer = cts.buffer(bytes(64));
    for (int i = 0; i < 200; i++) {
      DeviceFile file = folder.open(path, READ, WRITE);
      awaitReached(move(reads, cts, Fence.NONE, file, buffer, 64), 1);
      file.close();
      assertClosed(path);
    }
  }

  /** It does not matter how the operation ended. */
  @Test
  @Rule({"M9", "Q6", "Q10"})
  void closingAFileAfterAFailureReleasesItsHandle(Cts cts) {
    needHandles();
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(64));
    DeviceBuffer buffer = cts.buffer(bytes(128));
    DeviceFile file = folder.open(path, READ, WRITE);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore never = move(true, cts, go.at(1), file, buffer, 64);
    TimelineSemaphore early = move(true, cts, Fence.NONE, file, buffer, 128);
    assertHal(Status.OUT_OF_RANGE, () -> move(true, cts, Fence.NONE, file, buffer, 129));
    awaitFailure(early, 1, Status.OUT_OF_RANGE);
    go.fail(new HalException(Status.ABORTED, "another plan"));
    awaitFailure(never, 1, Status.ABORTED);
    cts.awaitIdle();
    file.close();
    assertClosed(path);
  }

  @Test
  @Rule({"M9", "M5"})
  void aClosedChannelIsRejected(Cts cts) throws IOException {
    TestFolder folder = new TestFolder(cts);
    FileChannel channel = folder.channel(folder.file("file", bytes(64)), READ);
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    DeviceBuffer buffer = cts.buffer(64);
    channel.close();
    assertHal(
        Status.FAILED_PRECONDITION, () -> move(true, cts, Fence.NONE, file, buffer, 64), "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> cts.device().wrapFile(channel), "closed");
  }

  @Test
  @Rule({"M9", "Q10"})
  void aChannelClosedWhileParkedFailsTheSignals(Cts cts) throws IOException {
    TestFolder folder = new TestFolder(cts);
    FileChannel channel = folder.channel(folder.file("file", bytes(64)), READ);
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = move(true, cts, go.at(1), file, cts.buffer(64), 64);
    channel.close();
    go.signal(1);
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q8"})
  @FreshDevice
  void closingTheDeviceWaitsForReadsAndWritesThatHaveBegun(boolean reads, Cts cts)
      throws Exception {
    Device device = cts.device();
    byte[] data = bytes(SIZE);
    HeldFile held = new HeldFile(cts, reads ? data : filled(SIZE, 0));
    DeviceBuffer buffer = cts.buffer(reads ? filled(SIZE, 0) : data);
    TimelineSemaphore done = move(reads, cts, Fence.NONE, held.file, buffer, SIZE);
    TimelineSemaphore parked = move(reads, cts, cts.semaphore().at(1), held.file, buffer, SIZE);
    held.awaitHeld();
    Task<?> closing = Task.run("close", device::close);
    awaitFailure(parked, 1, Status.CANCELLED); // immediately
    assertTrue(closing.isRunning(), "close() returned while a file was being moved");
    assertPending(done, 1);
    held.go.signal(1);
    awaitReached(done, 1);
    closing.join();
    assertBytes(data, content(held.path), "the file");
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> move(reads, cts, Fence.NONE, held.file, buffer, SIZE),
        "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> device.openFile(held.path), "closed");
    assertHal(Status.FAILED_PRECONDITION, () -> device.wrapFile(held.channel), "closed");
    held.file.close();
    assertTrue(held.channel.isOpen(), "the channel is open");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q8"})
  @FreshDevice("close-timeout=100ms")
  void aHangingFileFailsAtTheDeadlineOfTheClose(boolean reads, Cts cts) {
    HeldFile held = new HeldFile(cts, bytes(SIZE));
    DeviceBuffer buffer = cts.buffer(bytes(SIZE));
    TimelineSemaphore done = move(reads, cts, Fence.NONE, held.file, buffer, SIZE);
    held.awaitHeld();
    cts.allowWarnings();
    cts.allowLeftovers();
    cts.device().close();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    held.go.signal(1);
  }

  @Test
  @Rule({"M9", "Q8"})
  @FreshDevice
  void aFileMayBeClosedAfterItsDevice(Cts cts) {
    needHandles();
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(64));
    DeviceFile file = folder.open(path);
    awaitReached(move(true, cts, Fence.NONE, file, cts.buffer(64), 64), 1);
    cts.device().close();
    assertEquals(1, handles(path), "handles after the device was closed");
    file.close();
    assertClosed(path);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q7"})
  @Needs(Need.CONTROLS)
  @FreshDevice("validate=off") // nothing orders them
  void losingTheDeviceFailsReadsAndWritesThatHaveBegun(boolean reads, Cts cts) {
    HeldFile held = new HeldFile(cts, bytes(SIZE));
    DeviceBuffer buffer = cts.buffer(bytes(SIZE));
    TimelineSemaphore done = move(reads, cts, Fence.NONE, held.file, buffer, SIZE);
    TimelineSemaphore[] others = new TimelineSemaphore[10]; // they wait for staging memory
    for (int i = 0; i < others.length; i++) {
      others[i] = move(reads, cts, Fence.NONE, held.file, buffer, SIZE);
    }
    held.awaitHeld();
    cts.allowWarnings();
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    assertHal(Status.UNAVAILABLE, awaitFailure(done, 1), "it fell off");
    for (TimelineSemaphore other : others) {
      assertHal(Status.UNAVAILABLE, awaitFailure(other, 1), "it fell off");
    }
    held.go.signal(1);
    cts.awaitIdle();
    assertHal(
        Status.UNAVAILABLE, () -> move(reads, cts, Fence.NONE, held.file, buffer, SIZE), "it fell");
    assertHal(Status.UNAVAILABLE, () -> cts.device().openFile(held.path), "it fell");
  }

  /** Parts of the file are being transferred when the device is lost. */
  @Test
  @Rule({"M9", "Q7"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void losingTheDeviceDuringATransferFailsTheSignals(Cts cts) {
    HeldFile held = new HeldFile(cts, bytes(SIZE));
    DeviceBuffer buffer = cts.buffer(SIZE);
    TimelineSemaphore done = move(true, cts, Fence.NONE, held.file, buffer, SIZE);
    held.awaitHeld();
    cts.controls().pause(cts.queue());
    held.go.signal(1);
    awaitTrue("a part to be issued", () -> cts.device().statistics().issued() > 1);
    cts.allowWarnings();
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "it fell off"));
    assertHal(Status.UNAVAILABLE, awaitFailure(done, 1), "it fell off");
    cts.controls().resume(cts.queue());
    cts.awaitIdle();
  }
}
