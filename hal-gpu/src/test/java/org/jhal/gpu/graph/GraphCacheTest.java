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
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.runtime.FreeThread;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuMemory;
import org.jhal.gpu.runtime.GpuRuntime;
import org.jhal.gpu.runtime.GraphRuntime;
import org.jhal.gpu.runtime.PinnedRanges;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of graphs: whatever it throws, nobody waits for them for ever, and they do not count. */
@Timeout(60)
class GraphCacheTest {
  private static final Error FAULT = new StackOverflowError("on purpose");

  private final List<String> destroyed = new ArrayList<>(); // the calls, in order

  private final GraphRuntime<Integer, Integer> calls =
      fake(
          GraphRuntime.class,
          Map.of(
              "destroyInstance",
              () -> {
                destroyed.add("instance");
                throw FAULT;
              },
              "destroy",
              () -> {
                destroyed.add("graph");
                return 0;
              }));

  private final FakeRuntime runtime = new FakeRuntime();
  private final GpuCore<Integer, Integer, Integer> device =
      new GpuCore<>(runtime, new FreeThread(runtime, "fake-0"), "fake-0", 0);

  private final GraphStream<Integer> stream = fake(GraphStream.class, Map.of());
  private final GraphCache<Integer, Integer> cache =
      new GraphCache<>(device, calls, new GraphOptions("on", 1 << 20));

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

  /** An object whose methods return what {@code results} says, otherwise 0, 1 or nothing. */
  @SuppressWarnings("unchecked")
  private static <T> T fake(Class<?> type, Map<String, Supplier<Object>> results) {
    return (T)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
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

  private GraphInstance<Integer, Integer> build() {
    GraphInstance<Integer, Integer> instance = cache.plan(plan, stream, submission);
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
  void anEvictionThatThrowsLeavesNobodyWaiting() throws Exception {
    GraphInstance<Integer, Integer> instance = build();
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
  void aRecordingThatEndsIsRetiredThoughThatThrows() throws Exception {
    GraphInstance<Integer, Integer> instance = build();
    cache.retire(instance);
    awaitFrees();
    assertTrue(instance.isDestroyed());
    assertEquals(List.of("instance", "graph"), destroyed);
    assertEquals(0, cache.statistics().bytes());
  }

  @Test
  void closingDestroysAllThoughEachThrows() {
    GraphInstance<Integer, Integer> one = build();
    GraphInstance<Integer, Integer> two = build();
    cache.close();
    assertTrue(one.isDestroyed());
    assertTrue(two.isDestroyed());
    assertEquals(0, cache.statistics().bytes());
  }

  /** A device on which every call succeeds and nothing happens. */
  private static final class FakeRuntime extends GpuRuntime<Integer, Integer, Integer> {
    FakeRuntime() {
      super(
          new ResultCodes() {
            @Override
            protected @Nullable String name(int code) {
              return null;
            }

            @Override
            protected String text(int code) {
              return "";
            }
          },
          new PinnedRanges(),
          new LaunchGate());
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}

    @Override
    public Object library() {
      return this;
    }

    @Override
    public void enableAccess(GpuRuntime<Integer, Integer, Integer> owner) {}

    @Override
    public WantedCollectives collectives() {
      throw new UnsupportedOperationException();
    }

    @Override
    public KernelLoader<?, Integer> kernels() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected Integer createStream() {
      return 1;
    }

    @Override
    protected void destroyStream(Integer stream) {}

    @Override
    public void synchronizeStream(Integer stream) {}

    @Override
    public boolean isIdle(Integer stream) {
      return true;
    }

    @Override
    public Integer createTimingEvent() {
      throw new UnsupportedOperationException();
    }

    @Override
    public float elapsedMillis(Integer from, Integer to) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Integer createEvent(boolean canSleep) {
      return 1;
    }

    @Override
    public void destroyEvent(Integer event) {}

    @Override
    public void recordEvent(Integer event, Integer stream) {}

    @Override
    public void waitEvent(Integer stream, Integer event) {}

    @Override
    public boolean queryEvent(Integer event) {
      return true;
    }

    @Override
    public void synchronizeEvent(Integer event) {}

    @Override
    public void createPool() {}

    @Override
    public void destroyPool() {}

    @Override
    public long allocate(long bytes, Integer stream) {
      return 1;
    }

    @Override
    public void free(long address, Integer stream) {}

    @Override
    protected void pageLock(long hostAddress, long bytes) {}

    @Override
    public void pageUnlock(long hostAddress) {}

    @Override
    protected long allocateHost(long bytes) {
      return 1;
    }

    @Override
    public long deviceAddress(long hostAddress) {
      return hostAddress;
    }

    @Override
    public void freeHost(long hostAddress) {}

    @Override
    public void fill(Integer stream, long target, int pattern, int patternBytes, long count) {}

    @Override
    public void copy(Integer stream, long target, long source, long bytes) {}

    @Override
    public void copyAcross(Integer stream, long target, long source, long bytes) {}

    @Override
    public void copyToDevice(Integer stream, long target, long hostAddress, long bytes) {}

    @Override
    public void copyToHost(Integer stream, long hostAddress, long source, long bytes) {}

    @Override
    public void launch(
        Integer stream,
        Integer kernel,
        int groupsX,
        int groupsY,
        int groupsZ,
        Workgroups size,
        int sharedBytes,
        long arguments) {}

    @Override
    public long endOfLaunchList() {
      return 0;
    }

    @Override
    public Object view() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long streamHandle(Integer stream) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long eventHandle(Integer event) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void waitNative(Integer stream, long event) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void bindAgain() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCurrent() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean makeNoneCurrent() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkDeviceMemory(long address, long bytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long allocateAlone(long bytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void freeAlone(long address) {
      throw new UnsupportedOperationException();
    }
  }
}
