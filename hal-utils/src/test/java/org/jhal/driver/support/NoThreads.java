// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.util.function.Predicate;

/** While it is open, some or all threads of the engine and of drivers cannot be started. */
public final class NoThreads implements AutoCloseable {
  public NoThreads() {
    this(name -> true);
  }

  /** Refuses threads whose names fit. */
  public NoThreads(Predicate<String> isRefused) {
    EngineThread.isRefused = isRefused;
  }

  @Override
  public void close() {
    EngineThread.isRefused = name -> false;
  }
}
