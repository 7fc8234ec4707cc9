// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitSet;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.jhal.simulator.fixture.LogLines;
import org.jspecify.annotations.Nullable;

/** Listens for the log line about an abort that takes long without losing a device. */
final class LongAbortLine implements AutoCloseable {
  private final AtomicReference<@Nullable String> first = new AtomicReference<>();
  private final LogLines lines =
      new LogLines(
          "org.jhal",
          line -> {
            if (line.getMessage().contains("the abort of a group")) {
              first.compareAndSet(null, line.getMessage());
            }
          });

  /** Waits for it. */
  void await() {
    String line = awaitSet("a log line about an abort that takes long", first);
    assertTrue(line.contains("may wait for other work on the device"), line);
  }

  @Override
  public void close() {
    lines.close();
  }
}
