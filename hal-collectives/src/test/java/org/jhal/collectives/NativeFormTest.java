// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;
import org.jhal.CollectiveGroup.Options;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the driver's part of a group ends, and what runs when its streams are past it. */
class NativeFormTest {
  private final List<EngineDevice<?>> devices = new ArrayList<>();
  private final RefCounted life =
      new RefCounted() {
        @Override
        protected void destroy() {
          form.close();
        }
      };
  private NativeForm form = new NativeForm(List.of(), life, () -> false, () -> false);

  private List<DeviceGroups<?>> ranks() {
    return devices.stream().<DeviceGroups<?>>map(Groups::of).toList();
  }

  private FakeGroup make(IntPredicate isPast) {
    FakeGroup group = new FakeGroup(isPast);
    InstantBackend first = new InstantBackend();
    first.natives = group;
    devices.add(first.open(1));
    devices.add(new InstantBackend().open(1));
    form = new NativeForm(ranks(), life, () -> false, () -> false);
    form.make(Options.DEFAULT);
    return group;
  }

  @AfterEach
  void closeDevices() {
    devices.forEach(EngineDevice::close);
  }

  /** Its events are asked for until then. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void anAbortedGroupIsFreedWhenTheLastStreamIsPastIt(int last) {
    AtomicBoolean isOver = new AtomicBoolean();
    FakeGroup group = make(rank -> rank != last || isOver.get());
    form.abort();
    life.release(); // the user closes it
    Threads.await("the watch", () -> group.asked.get(last) > 1);
    assertFalse(group.isClosed, "freed while it is asked");
    isOver.set(true);
    Threads.await("the group to be freed", () -> group.isClosed);
    assertEquals(0, group.misuses.get());
  }

  @Test
  void aGroupThatIsFreedIsPastEverything() {
    FakeGroup group = make(rank -> false);
    life.release();
    form.abort();
    AtomicBoolean isPast = new AtomicBoolean();
    form.whenPast(1, () -> isPast.set(true));
    assertTrue(isPast.get());
    Threads.await("the group to be freed", () -> group.isClosed);
    assertEquals(0, group.misuses.get());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aRankThatCannotBeAskedHidesNoOther(int failing) {
    AtomicBoolean fails = new AtomicBoolean(true);
    FakeGroup group =
        make(
            rank -> {
              if (rank == failing && fails.get()) {
                throw new OutOfMemoryError("on purpose");
              }
              return true;
            });
    AtomicIntegerArray calls = new AtomicIntegerArray(2);
    form.whenPast(0, () -> calls.incrementAndGet(0));
    form.whenPast(1, () -> calls.incrementAndGet(1));
    form.abort();
    Threads.await("the other rank", () -> calls.get(1 - failing) == 1);
    Threads.await("another question", () -> group.asked.get(failing) > 1);
    assertEquals(0, calls.get(failing));
    fails.set(false);
    Threads.await("the rank", () -> calls.get(failing) == 1);
    life.release();
    Threads.await("the group to be freed", () -> group.isClosed);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aReleaseThatBlocksHidesNoOtherRank(int blocking) {
    FakeGroup group = make(rank -> true);
    AtomicBoolean isOtherPast = new AtomicBoolean();
    AtomicBoolean isPast = new AtomicBoolean();
    form.whenPast(
        blocking,
        () -> {
          Threads.await("the other rank", isOtherPast::get);
          isPast.set(true);
        });
    form.whenPast(1 - blocking, () -> isOtherPast.set(true));
    form.abort();
    Threads.await("both", isPast::get);
    life.release();
    Threads.await("the group to be freed", () -> group.isClosed);
  }
}
