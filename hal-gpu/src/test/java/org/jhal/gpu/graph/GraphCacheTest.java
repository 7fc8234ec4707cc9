// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.NativeBlock;
import org.jhal.gpu.runtime.FakeRuntime;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphLayout;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** If the destruction of a graph throws, no thread waits forever, and the graph does not count. */
@Timeout(60)
class GraphCacheTest {
  private static final Error FAULT = new StackOverflowError("on purpose");

  private final List<String> destroyed = new ArrayList<>(); // the calls, in order

  private final GraphSetup setup =
      fake(
          GraphSetup.class,
          Map.of(
              "graphExecDestroy",
              () -> {
                destroyed.add("instance");
                throw FAULT;
              },
              "graphDestroy",
              () -> {
                destroyed.add("graph");
                return 0;
              }));

  private final GraphApi api = fake(GraphApi.class, Map.of());

  private final FakeRuntime runtime = new FakeRuntime();
  private final GpuCore device =
      new GpuCore(
          runtime,
          new FreeThread(
              "fake-0", free -> runtime.gate().run(() -> runtime.giveBack(free)), () -> true),
          "fake-0",
          0);

  private final GraphStream stream = fake(GraphStream.class, Map.of("isPast", () -> true));
  private final GraphCache cache =
      new GraphCache(device, new FakeGraphs(runtime, api, setup), new GraphOptions("on", 1 << 20));

  /** A graph of one fill. */
  private final GraphPlan plan =
      GraphPlan.of(
          fake(
              CommandList.class,
              Map.of(
                  "size",
                  () -> 1,
                  "get",
                  () ->
                      fake(
                          Command.class,
                          Map.of(
                              "kind",
                              () -> Command.Kind.FILL,
                              "patternBytes",
                              () -> 4,
                              "target",
                              () -> new Operand() {})))));

  private final Submission submission =
      fake(
          Submission.class,
          Map.of("memory", () -> fake(GpuMemory.class, Map.of()), "length", () -> 16L));

  /** An object whose methods return the values in {@code results}, otherwise 0, 1 or nothing. */
  @SuppressWarnings("unchecked")
  private static <T> T fake(Class<?> type, Map<String, Supplier<Object>> results) {
    return (T)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (arguments != null && arguments.length > 0 && arguments[0] instanceof long[] out) {
                out[0] = 1; // a handle
              }
              Supplier<Object> result = results.get(method.getName());
              return result != null ? result.get() : some(method.getReturnType());
            });
  }

  private static @Nullable Object some(Class<?> type) {
    if (type == long.class) {
      return 1L;
    }
    if (type == int.class) {
      return 0;
    }
    return type == boolean.class ? false : null;
  }

  private GraphInstance<GraphNodes> build() {
    GraphInstance<GraphNodes> instance = cache.plan(plan, stream, submission);
    assertNull(cache.build(instance));
    return instance;
  }

  private void awaitFrees() throws InterruptedException {
    CountDownLatch freed = new CountDownLatch(1);
    device.frees().free(freed::countDown);
    assertTrue(freed.await(20, TimeUnit.SECONDS), "the free thread is stuck");
  }

  @AfterEach
  void close() {
    device.frees().close(() -> {});
  }

  @Test
  void aThrowingEvictionLeavesNoThreadWaiting() throws Exception {
    GraphInstance<GraphNodes> instance = build();
    assertTrue(cache.statistics().bytes() > 0);
    Error thrown = assertThrows(StackOverflowError.class, cache::evictOldest);
    assertSame(FAULT, thrown);
    assertEquals(List.of("instance", "graph"), destroyed);
    assertEquals(0, cache.statistics().bytes());
    assertTrue(instance.isDestroyed());
    cache.retire(instance); // its recording ends
    awaitFrees();
  }

  @Test
  void retiresARecordingAlthoughItsGraphThrows() throws Exception {
    GraphInstance<GraphNodes> instance = build();
    cache.retire(instance);
    awaitFrees();
    assertTrue(instance.isDestroyed());
    assertEquals(List.of("instance", "graph"), destroyed);
    assertEquals(0, cache.statistics().bytes());
  }

  @Test
  void closingDestroysAllGraphsAlthoughEachThrows() {
    GraphInstance<GraphNodes> one = build();
    GraphInstance<GraphNodes> two = build();
    cache.close();
    assertTrue(one.isDestroyed());
    assertTrue(two.isDestroyed());
    assertEquals(0, cache.statistics().bytes());
  }

  /** Graphs of which every call succeeds, apart from those of {@code api}. */
  private static final class FakeGraphs extends GraphRuntime {
    FakeGraphs(GpuRuntime runtime, GraphApi api, GraphSetup setup) {
      super(runtime, api, setup, new GraphLayout(64, 0, 8, 20, 32, 40, GraphLayout.NO_CONTEXT), "");
    }

    @Override
    public boolean mayBeSetInFlight() {
      return false;
    }

    @Override
    public void describeCopy(
        NativeBlock scratch, long target, boolean isTo, long source, boolean isFrom, long bytes) {}

    @Override
    protected int addFill(
        NativeBlock scratch, long node, long graph, long dependencies, int count) {
      return 0;
    }

    @Override
    protected int setFill(NativeBlock scratch, long instance, long node) {
      return 0;
    }

    @Override
    protected int addCopy(
        NativeBlock scratch, long node, long graph, long dependencies, int count) {
      return 0;
    }

    @Override
    protected int setCopy(NativeBlock scratch, long instance, long node) {
      return 0;
    }
  }
}
