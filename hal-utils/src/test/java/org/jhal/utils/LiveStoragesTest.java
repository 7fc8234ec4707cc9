package org.jhal.utils;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.utils.FakeStream.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a device has handed out, and what becomes of what nobody closes (rule M7). */
@Timeout(60)
class LiveStoragesTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @Test
  void storagesComeAndGoInAnyOrder() {
    LiveStorages live = new LiveStorages();
    Set<BufferStorage> expected = Collections.newSetFromMap(new IdentityHashMap<>());
    List<BufferStorage> storages = new ArrayList<>();
    try (EngineDevice<Event> device = new FakeBackend().open(1, LONG)) {
      for (int i = 0; i < 8; i++) {
        storages.add(new BufferStorage(device, BufferParams.DEVICE, i, null, null));
      }
      Random random = new Random(3);
      for (int i = 0; i < 10_000; i++) {
        BufferStorage storage = storages.get(random.nextInt(storages.size()));
        if (random.nextBoolean()) {
          live.remove(storage); // also one that is not there
          expected.remove(storage);
        } else if (expected.add(storage)) {
          live.add(storage);
        }
        assertEquals(expected.size(), live.size());
        assertEquals(new HashSet<>(expected), new HashSet<>(live.all()));
      }
    }
  }

  @SuppressWarnings("ReturnValueIgnored") // which is what this is about
  private static void leakAndClose(FakeBackend backend) {
    EngineDevice<Event> device = backend.open(1, LONG);
    device.allocate(4_711, BufferParams.DEVICE);
    device.close();
  }

  @Test
  void aBufferIsReportedEvenIfItsDeviceIsForgottenToo() {
    try (Quiet log = new Quiet()) {
      FakeBackend backend = new FakeBackend();
      leakAndClose(backend);
      assertEquals(0, backend.liveMemory.get(), "closing frees it");
      Threads.await(
          "the buffer to be reported",
          () -> {
            System.gc();
            return log.count("a buffer of 4711 bytes of fake-0 was never closed") == 1;
          });
    }
  }
}
