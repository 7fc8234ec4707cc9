// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.runtime.FakeRuntime;
import org.jhal.gpu.runtime.GpuEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recordings of a stream that goes on when the test says so. */
@Timeout(60)
class StreamEventsTest {
  private static final long STREAM = 77;

  private long handles;
  private final Map<Long, Long> recorded = new HashMap<>(); // native events, and their place
  private final Set<Long> sleeping = new HashSet<>(); // native events that wake a thread
  private final List<Long> destroyed = new ArrayList<>();
  private long places; // recordings in the stream
  private long passed; // those that have fired
  private int queries;
  private final List<Long> waits = new ArrayList<>(); // native events that were slept on

  private final FakeRuntime runtime = new FakeRuntime(this::call);
  private final StreamEvents events = new StreamEvents(runtime);

  private int call(String function, Object[] arguments) {
    switch (function) {
      case "eventCreateWithFlags" -> {
        ((long[]) arguments[0])[0] = ++handles;
        if (((int) arguments[1] & GpuApi.EVENT_BLOCKING_SYNC) != 0) {
          sleeping.add(handles);
        }
      }
      case "eventRecord" -> {
        assertEquals(STREAM, arguments[1]);
        recorded.put((Long) arguments[0], ++places);
      }
      case "eventQuery" -> {
        queries++;
        return place(arguments[0]) <= passed ? ResultCodes.SUCCESS : GpuApi.NOT_READY;
      }
      case "eventSynchronize" -> {
        waits.add((Long) arguments[0]);
        passed = Math.max(passed, place(arguments[0]));
      }
      case "eventDestroy" -> destroyed.add((Long) arguments[0]);
      default -> {}
    }
    return ResultCodes.SUCCESS;
  }

  private long place(Object event) {
    return recorded.getOrDefault((Long) event, 0L);
  }

  private GpuEvent record(GpuEvent event) {
    events.putBehind();
    events.record(event, STREAM);
    return event;
  }

  private GpuEvent record() {
    return record(events.create());
  }

  private boolean canSleepOn(GpuEvent event) {
    return sleeping.contains(event.pair().recorded());
  }

  /** What is in the stream behind a recording needs another one, and nothing needs none. */
  @Test
  void recordingsAreSharedOnlyIfNothingIsBetween() {
    assertEquals(1, events.next());
    assertEquals(1, events.covering());
    GpuEvent first = record();
    assertEquals(1, events.covering());
    GpuEvent second = events.create();
    events.record(second, STREAM);
    assertEquals(1, places);
    assertSame(first.pair(), second.pair());
    events.putBehind();
    assertEquals(2, events.covering());
    GpuEvent third = events.create();
    events.record(third, STREAM);
    assertEquals(2, places);
    assertNotEquals(first.pair().recorded(), third.pair().recorded());
    assertEquals(3, events.next());
    record(first); // while another event has its pair
    assertEquals(1, place(second.pair().recorded()));
    assertEquals(3, place(first.pair().recorded()));
  }

  /** Scarce events are for a stream that is nearly empty, and for threads that do sleep. */
  @Test
  void onlyAFewRecordingsCanWakeAThread() {
    List<GpuEvent> all = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      all.add(record());
      assertEquals(i <= 16, canSleepOn(all.get(i - 1)), "recording " + i);
    }
    passed = places;
    assertTrue(events.query(all.get(19)));
    for (int i = 21; i <= 70; i++) {
      GpuEvent event = record();
      assertEquals(i <= 64 && i <= 20 + 16, canSleepOn(event), "recording " + i);
    }
    passed = places;
    GpuEvent last = record();
    assertFalse(canSleepOn(last));
    passed = places;
    events.synchronize(last); // polls, and counts as sleep
    assertEquals(List.of(), waits);
    GpuEvent next = record();
    assertTrue(canSleepOn(next));
    events.synchronize(next);
    assertEquals(List.of(next.pair().recorded()), waits);
    assertTrue(events.query(next));
  }

  /** What is known to have fired costs no native call. */
  @Test
  void aQueryLooksAheadWithoutGuessing() {
    List<GpuEvent> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(record());
    }
    passed = 30;
    assertFalse(events.areKnownPast());
    assertTrue(events.query(all.get(0)));
    for (int i = 0; i < 40; i++) {
      assertEquals(i < 30, events.query(all.get(i)), "recording " + (i + 1));
    }
    passed = 40;
    assertTrue(events.query(all.get(39)));
    queries = 0;
    assertTrue(events.areKnownPast());
    all.forEach(event -> assertTrue(events.query(event)));
    for (int position = 1; position <= 40; position++) {
      assertTrue(events.isPast(position));
    }
    assertEquals(0, queries, "queries of what is known");
    assertFalse(events.isPast(41), "a recording that is to come");
    assertEquals(0, queries, "queries of what is not recorded");
  }

  /** Whatever happens in whatever order, the answers are those of the stream. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void answersAreTrue(int seed) {
    Random random = new Random(seed);
    List<GpuEvent> free = new ArrayList<>();
    List<GpuEvent> inUse = new ArrayList<>();
    Map<GpuEvent, Long> positions = new HashMap<>();
    for (int i = 0; i < 5000; i++) {
      int what = random.nextInt(10);
      if (what < 4 && inUse.size() < 200) {
        GpuEvent event = free.isEmpty() ? events.create() : free.remove(free.size() - 1);
        if (random.nextInt(4) > 0) {
          events.putBehind();
        }
        long position = events.covering();
        events.record(event, STREAM);
        assertEquals(places, position, "the recording that covers everything");
        positions.put(event, position);
        inUse.add(event);
      } else if (what < 7) {
        passed += random.nextInt((int) Math.min(40, places - passed) + 1);
      } else if (what < 9 && !inUse.isEmpty()) {
        GpuEvent event = inUse.get(random.nextInt(inUse.size()));
        long position = positions.getOrDefault(event, 0L);
        assertEquals(position <= passed, events.query(event), "recording " + position);
        if (position <= passed) {
          inUse.remove(event);
          free.add(event);
        }
      } else {
        long position = 1 + random.nextInt((int) places + 2);
        assertEquals(position <= passed, events.isPast(position), "position " + position);
      }
      assertTrue(passed == places || !events.areKnownPast(), "recordings that have not fired");
    }
    List<GpuEvent> all = new ArrayList<>(free);
    all.addAll(inUse);
    all.forEach(events::destroy);
    assertEquals(handles, destroyed.size(), "destroyed native events");
    assertEquals(handles, new HashSet<>(destroyed).size(), "each of them once");
  }
}
