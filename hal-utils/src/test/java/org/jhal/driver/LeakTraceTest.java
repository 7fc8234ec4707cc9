// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** With {@code leaks=trace} a report begins at the call of the user (rule M7). */
@Timeout(60)
class LeakTraceTest {
  /** Makes an object that a user may forget. */
  interface Maker {
    Object make(Device device);
  }

  static Stream<Arguments> makers() {
    return Stream.of(
        maker("a buffer of 77 bytes", LeakTraceTest::buffer),
        maker("a command buffer", LeakTraceTest::commands),
        maker("semaphore#", LeakTraceTest::semaphore));
  }

  private static Arguments maker(String what, Maker maker) {
    return Arguments.of(what, maker);
  }

  private static Object buffer(Device device) {
    return device.allocate(77, BufferParams.DEVICE);
  }

  private static Object commands(Device device) {
    return device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
  }

  private static Object semaphore(Device device) {
    return device.createSemaphore(0);
  }

  private static void forget(Maker maker, Device device) {
    Object forgotten = maker.make(device);
    assertEquals(device.toString(), "instant-7", () -> "" + forgotten);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("makers")
  void aReportBeginsAtTheCallOfTheUser(String what, Maker maker) {
    AtomicReference<@Nullable Throwable> logged = new AtomicReference<>();
    Logger logger = Logger.getLogger("org.jhal");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            String text = line.getMessage();
            if (text.startsWith(what) && text.contains("instant-7 was never closed")) {
              logged.compareAndSet(null, line.getThrown());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    Duration timeout = Duration.ofSeconds(5);
    EngineConfig config =
        new EngineConfig(1, 512, 50_000, 0, timeout, timeout, 2, 2, true, true, true);
    try (EngineDevice<Object> device =
        new EngineDevice<>(new InstantBackend(7), config, List.of())) {
      forget(maker, device);
      Threads.await(
          "the report of the leak",
          () -> {
            System.gc();
            return logged.get() != null;
          });
      Throwable made = logged.get();
      assertEquals(
          LeakTraceTest.class.getName(),
          made == null ? null : made.getStackTrace()[0].getClassName());
    } finally {
      logger.removeHandler(handler);
    }
  }
}
