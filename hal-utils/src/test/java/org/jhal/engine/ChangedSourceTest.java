// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.HostMemory;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.QueueOrder;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.work.CommandWork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads may end an operation at once; what its source has become is told by one. */
@Timeout(60)
class ChangedSourceTest {
  private static void awaitBlockedOrOver(Threads thread) {
    Threads.await(
        thread.thread().getName() + " to end the borrow or to be held by the record",
        () ->
            thread.thread().getState() == Thread.State.BLOCKED
                || thread.thread().getState() == Thread.State.TERMINATED);
  }

  @Test
  void noThreadEndsTheBorrowBeforeTheSourceIsCompared() throws Exception {
    List<String> reports = new CopyOnWriteArrayList<>();
    byte[] bytes = new byte[64];
    HostMemory source = HostMemory.of(bytes);
    HazardRecord.open(reports::add);
    try (EngineDevice<Event> device = new FakeBackend().open(1, Duration.ofSeconds(30));
        DeviceBuffer target = device.allocate(64, BufferParams.DEVICE)) {
      HazardRecord record = Objects.requireNonNull(HazardRecord.current());
      DeviceCore<Event> core = Inside.core(device);
      CommandWork<Event> work = new CommandWork<>(core);
      work.upload(source, target, 0);
      RecordedOperation upload =
          new RecordedOperation(new QueueOrder("q"), "upload", null, reports::add, null);
      work.record(upload);
      record.add(upload);
      upload.setNumber(1);
      record.sourceBegins(upload, source);
      bytes[63] = 1;
      Threads first;
      Threads second;
      synchronized (record) { // both come to compare, and neither can
        first = Threads.start("first", work::endBorrow);
        awaitBlockedOrOver(first);
        second = Threads.start("second", work::endBorrow);
        awaitBlockedOrOver(second);
        assertTrue(source.isBorrowed(), "nobody has compared the source");
      }
      first.join();
      second.join();
      assertEquals(1, reports.size(), reports::toString);
      work.retire(released -> {});
      assertEquals(1, reports.size(), reports::toString);
    } finally {
      HazardRecord.close();
    }
  }
}
