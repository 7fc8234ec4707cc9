// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Destroyed objects are not destroyed again, since that could end the process. */
class HandlesTest {
  private final FakeRuntime runtime = new FakeRuntime();

  @Test
  void destroysAnEventOnce() {
    EventPair event = new EventPair(runtime.createEvent(true), runtime.createEvent(false));
    event.setRecorded(true, 1);
    event.destroy(runtime);
    assertEquals(0, event.recorded());
    assertNull("event", () -> event.destroy(runtime));
  }

  @Test
  void destroysAPoolOnce() {
    assertNull("pool", runtime::destroyPool);
    runtime.createPool();
    runtime.destroyPool();
    assertNull("pool", runtime::destroyPool);
  }

  @Test
  void doesNotDestroyTheDefaultStream() {
    runtime.closeStream(runtime.openStream());
    assertNull("stream", () -> runtime.closeStream(0));
  }

  private static void assertNull(String what, Runnable call) {
    assertEquals(
        "the " + what + " to be destroyed is null",
        assertThrows(IllegalStateException.class, call::run).getMessage());
  }
}
