// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.HookedChannel;
import org.jhal.cts.support.TestFolder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Code of the program lacks memory, space or file handles while an operation runs it. That is not
 * just any failure: the program may try again later (rule M5).
 */
@CtsSuite
class ShortageTest {
  private static final int SIZE = 64;

  /** What is missing, as code of the program reports it. */
  enum Shortage {
    MEMORY("a heap of one byte") {
      @Override
      Throwable thrown() {
        return new OutOfMemoryError("a heap of one byte");
      }
    },
    SPACE("No space left on device") {
      @Override
      Throwable thrown() {
        return new IOException("No space left on device");
      }
    },
    HANDLES_WITHIN("Too many open files") {
      @Override
      Throwable thrown() {
        return new UncheckedIOException("it was wrapped", new IOException("Too many open files"));
      }
    };

    private final String text;

    Shortage(String text) {
      this.text = text;
    }

    abstract Throwable thrown();
  }

  /** The operations that run code of the program. */
  enum Place {
    HOST_CALL,
    EXTERNAL,
    KERNEL,
    FILE_READ,
    FILE_WRITE
  }

  static Stream<Arguments> cases() {
    return Stream.of(Place.values())
        .flatMap(
            place -> Stream.of(Shortage.values()).map(shortage -> Arguments.of(place, shortage)));
  }

  /** Throws anything, as code in other languages does. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private static void enqueue(
      Cts cts, Place place, Throwable thrown, Fence signals, DeviceBuffer buffer) {
    DeviceQueue queue = cts.queue();
    switch (place) {
      case HOST_CALL ->
          queue.hostCall(
              Fence.NONE,
              signals,
              HostCall.Mode.BLOCKING,
              context -> ShortageTest.<RuntimeException>raise(thrown));
      case EXTERNAL -> {
        var unused = new ExternalCommands(cts, cts.device());
        queue.external(
            Fence.NONE,
            signals,
            List.of(buffer),
            context -> ShortageTest.<RuntimeException>raise(thrown));
      }
      case KERNEL -> {
        cts.needsFormat("java");
        ExecutableSource source =
            ExecutableSource.builder("short")
                .kernel("short", 1)
                .java("short", group -> ShortageTest.<RuntimeException>raise(thrown))
                .build();
        Executable kernels = cts.closing(cts.device().loadExecutable(source));
        queue.dispatch(Fence.NONE, signals, kernels.kernel("short"), Workgroups.of(3), Args.NONE);
      }
      case FILE_READ, FILE_WRITE -> {
        TestFolder folder = new TestFolder(cts);
        HookedChannel channel =
            new HookedChannel(
                folder.channel(
                    folder.file("file", bytes(SIZE)),
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE),
                nth -> {
                  ShortageTest.<RuntimeException>raise(thrown);
                  return HookedChannel.ALL;
                });
        DeviceFile file = cts.closing(cts.device().wrapFile(channel));
        if (place == Place.FILE_READ) {
          queue.read(Fence.NONE, signals, file, 0, buffer, 0, SIZE);
        } else {
          queue.write(Fence.NONE, signals, file, 0, buffer, 0, SIZE);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"M5", "Q10"})
  void aShortageFailsTheSignalsAsOne(Place place, Shortage shortage, Cts cts) {
    Throwable thrown = shortage.thrown();
    DeviceBuffer buffer = cts.buffer(bytes(SIZE));
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    enqueue(cts, place, thrown, first.at(1).and(second.at(1)), buffer);
    cts.queue().barrier(second.at(1), after.at(1));
    for (TimelineSemaphore each : List.of(first, second, after)) {
      HalException failure = awaitFailure(each, 1, Status.RESOURCE_EXHAUSTED);
      assertHal(Status.RESOURCE_EXHAUSTED, failure, shortage.text);
      assertSame(thrown, failure.getCause(), "the cause of " + failure);
    }
    assertNull(cts.device().lostCause(), "why the device is lost");
    TimelineSemaphore next = cts.semaphore();
    cts.queue().fill(Fence.NONE, next.at(1), buffer, 0, SIZE, FillPattern.of8(3));
    awaitReached(next, 1);
    assertBytes(filled(SIZE, 3), cts.read(buffer), "the buffer behind the failure");
  }
}
