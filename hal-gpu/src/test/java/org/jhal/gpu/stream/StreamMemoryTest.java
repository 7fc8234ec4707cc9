// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.memory.MemoryPool;
import org.jhal.gpu.memory.MemoryPool.PoolMemory;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.runtime.FakeRuntime;
import org.jhal.gpu.runtime.GpuCore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that a stream keeps for later allocations. */
@Timeout(60)
class StreamMemoryTest {
  private static final long MIB = 1 << 20;
  private static final long DEVICE = 200 * MIB;
  private static final long STREAM = 5;
  private static final long OTHER = 6;

  private final Map<Long, Long> live = new HashMap<>(); // native allocations, and their sizes
  private final List<Long> freedOn = new ArrayList<>(); // the streams of frees, in order
  private long next = 4096;
  private int allocations;
  private boolean isFreeRefused;
  private boolean isAllocationRefused; // although the budget has room
  private boolean isPast; // whether the stream is past all recordings

  private final FakeRuntime runtime = new FakeRuntime(this::call);
  private final FreeThread frees =
      new FreeThread(
          "fake-0", free -> runtime.gate().run(() -> runtime.giveBack(free)), () -> true);
  private final MemoryBudget budget = new MemoryBudget("fake-0", DEVICE);
  private final MemoryPool pool =
      new MemoryPool(new GpuCore(runtime, frees, "fake-0", 0), budget, () -> false);
  private final StreamEvents events = new StreamEvents(runtime);
  private final StreamMemory memory = new StreamMemory(pool, events, () -> STREAM);

  private int call(String function, Object[] arguments) {
    switch (function) {
      case "mallocFromPoolAsync" -> {
        long size = (Long) arguments[1];
        long used = live.values().stream().mapToLong(each -> each).sum();
        if (used + size > DEVICE || isAllocationRefused) {
          return FakeRuntime.OUT_OF_MEMORY;
        }
        allocations++;
        next += 4096;
        ((long[]) arguments[0])[0] = next;
        live.put(next, size);
      }
      case "freeAsync" -> {
        if (isFreeRefused) {
          return FakeRuntime.OUT_OF_MEMORY;
        }
        assertTrue(live.remove((Long) arguments[0]) != null, "freed twice");
        freedOn.add((Long) arguments[1]);
      }
      case "eventQuery" -> {
        return isPast ? ResultCodes.SUCCESS : GpuApi.NOT_READY;
      }
      default -> {}
    }
    return ResultCodes.SUCCESS;
  }

  @AfterEach
  void close() {
    frees.close(() -> {});
  }

  private PoolMemory allocate(long size) {
    return (PoolMemory) memory.allocate(size, BufferParams.DEVICE);
  }

  private void free(DeviceMemory block) {
    assertTrue(memory.free(block));
  }

  @Test
  void aFreedBlockServesTheNextAllocationOfItsSize() {
    PoolMemory one = allocate(1000);
    PoolMemory two = allocate(1000);
    PoolMemory large = allocate(1001);
    free(one);
    free(two);
    free(large);
    assertEquals(List.of(), freedOn, "native frees");
    assertEquals(3001, budget.used(), "what is kept counts");
    assertEquals(two.address(), allocate(1000).address(), "the newest");
    assertEquals(one.address(), allocate(1000).address());
    assertEquals(large.address(), allocate(1001).address());
    assertEquals(3, allocations);
    PoolMemory further = allocate(1000);
    assertEquals(4, allocations);
    assertNotEquals(one.address(), further.address());
    assertEquals(4001, budget.used());
  }

  @Test
  void memoryOfTheHostIsNotItsOwn() {
    assertFalse(
        memory.free(
            new DeviceMemory() {
              @Override
              public long size() {
                return 16;
              }

              @Override
              public MappedRange map(long offset, int length) {
                throw new AssertionError();
              }

              @Override
              public void free() {
                throw new AssertionError("freed at once");
              }
            }));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 16 * MIB + 1, 50 * MIB})
  void emptyAndLargeBlocksAreNotKept(long size) {
    PoolMemory block = allocate(size);
    free(block);
    assertEquals(0, budget.used());
    assertEquals(size == 0 ? List.of() : List.of(STREAM), freedOn);
    allocate(size);
    assertEquals(size == 0 ? 0 : 2, allocations);
  }

  /** The oldest go, behind their use, when there are too many or they take up too much. */
  @Test
  void itKeepsAFewBlocks() {
    List<PoolMemory> blocks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      blocks.add(allocate(100 + i));
    }
    for (int i = 0; i < 20; i++) {
      free(blocks.get(i));
      assertEquals(Math.max(0, i + 1 - 16), freedOn.size(), "frees after " + (i + 1));
    }
    for (int i = 0; i < 20; i++) {
      assertEquals(i >= 4, live.containsKey(blocks.get(i).address()), "block " + i);
    }
    assertEquals(live.values().stream().mapToLong(each -> each).sum(), budget.used());
    List<PoolMemory> large = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      large.add(allocate(16 * MIB));
    }
    large.forEach(this::free);
    long kept = live.values().stream().mapToLong(each -> each).sum();
    assertEquals(64 * MIB, kept, "64 MiB are kept at most");
    assertEquals(kept, budget.used());
    freedOn.forEach(stream -> assertEquals(STREAM, stream));
  }

  /** Memory that is scarce is taken from what another stream keeps, in the order of its use. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsKeptIsGivenBack(boolean isPast) {
    this.isPast = isPast;
    StreamMemory other = new StreamMemory(pool, new StreamEvents(runtime), () -> OTHER);
    for (int i = 0; i < 4; i++) {
      PoolMemory block = allocate(10 * MIB + i);
      events.putBehind();
      events.record(events.create(), STREAM);
      free(block);
    }
    DeviceMemory most = other.allocate(DEVICE - 4, BufferParams.DEVICE);
    assertEquals(DEVICE - 4, budget.used());
    assertEquals(4, freedOn.size());
    freedOn.forEach(stream -> assertEquals(isPast ? OTHER : STREAM, stream));
    HalException refused = assertThrows(HalException.class, () -> allocate(100));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status());
    assertEquals(DEVICE - 4, budget.used());
    assertTrue(other.free(most));
    allocate(100);
  }

  /** Other users of the device may have its memory. */
  @Test
  void aRefusedAllocationCountsNothing() {
    PoolMemory before = allocate(1000);
    isAllocationRefused = true;
    assertEquals(
        Status.RESOURCE_EXHAUSTED, assertThrows(HalException.class, () -> allocate(500)).status());
    assertEquals(1000, budget.used());
    free(before); // and is kept
    assertThrows(HalException.class, () -> allocate(500));
    assertEquals(0, budget.used(), "what was kept was given back, which has not helped");
    assertEquals(Map.of(), live);
    isAllocationRefused = false;
    allocate(500);
    assertEquals(500, budget.used());
  }

  /** A block is kept until a free succeeds. */
  @Test
  void aRefusedFreeLosesNothing() {
    List<PoolMemory> blocks = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      blocks.add(allocate(100 + i));
    }
    blocks.subList(0, 16).forEach(this::free);
    long used = budget.used();
    isFreeRefused = true;
    assertThrows(HalException.class, () -> memory.free(blocks.get(16)));
    assertEquals(17, live.size());
    assertEquals(used, budget.used());
    isFreeRefused = false;
    free(blocks.get(16));
    assertEquals(16, live.size());
    memory.close();
    assertEquals(Map.of(), live);
    assertEquals(0, budget.used());
  }
}
