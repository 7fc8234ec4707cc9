// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.jhal.cuda.JCudaApi.API;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import jcuda.driver.JCudaDriver;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.NativeBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions that operations call, in each binding. */
class CudaTableTest {
  private static final int CALLS = 10_000;

  private final NativeBlock popped = new NativeBlock(Long.BYTES);
  private long context; // 0 if nothing was opened
  private long stream;
  private long event;

  @BeforeEach
  void open() {
    Optional<String> unavailable = new CudaOnSimulator().unavailable();
    assumeTrue(unavailable.isEmpty(), () -> unavailable.orElse(""));
    CudaDriver.library();
    JCudaApi.Setup setup = API.setup();
    long[] out = new long[1];
    assertEquals(0, setup.devicePrimaryCtxRetain(out, 0));
    context = out[0];
    CudaTable calls = API.calls(null);
    assertEquals(0, calls.ctxPushCurrent(context));
    assertEquals(0, setup.streamCreateWithFlags(out, GpuApi.STREAM_NON_BLOCKING));
    stream = out[0];
    assertEquals(0, setup.eventCreateWithFlags(out, GpuApi.EVENT_DISABLE_TIMING));
    event = out[0];
  }

  @AfterEach
  void close() {
    if (context != 0) {
      assertEquals(0, API.setup().eventDestroy(event));
      assertEquals(0, API.setup().streamDestroy(stream));
      assertEquals(0, API.calls(null).ctxPopCurrent(popped.address(0)));
      assertEquals(0, API.setup().devicePrimaryCtxRelease(0));
    }
  }

  /**
   * JCuda's methods have the parameters of cuda.h. A binding that is made from the table relies on
   * it that the table has them too.
   */
  @Test
  void eachMethodHasTheParametersOfItsFunction() {
    for (Method method : CudaTable.class.getMethods()) {
      String name = API.functionName(method.getName());
      List<Method> known =
          Stream.of(JCudaDriver.class.getMethods())
              .filter(function -> function.getName().equals(name))
              .toList();
      assertEquals(1, known.size(), name);
      List<String> expected =
          Stream.of(known.get(0).getParameterTypes()).map(CudaTableTest::kind).toList();
      List<String> actual = Stream.of(method.getParameterTypes()).map(CudaTableTest::kind).toList();
      assertEquals(expected, actual, name);
    }
  }

  /** The size in C. Handles, addresses, sizes and arrays take a register of 64 bits. */
  private static String kind(Class<?> type) {
    boolean isSmall = List.of(byte.class, short.class, int.class).contains(type);
    return isSmall ? type.getName() : "64 bits";
  }

  /** JCuda takes handles as objects. */
  @Test
  void callsThroughJCudaMakeNoGarbage() {
    assertNoGarbage(API.calls(null));
  }

  /** Results come through native memory. */
  @Test
  void callsThroughTheOtherBindingMakeNoGarbage() {
    assumeTrue(BindingOption.auto() != null, "there is no other binding");
    assertNoGarbage(API.calls(BindingOption.auto()));
  }

  private void assertNoGarbage(CudaTable calls) {
    callAll(calls);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    callAll(calls);
    long bytes = threads.getThreadAllocatedBytes(thread) - before;
    assertTrue(bytes < CALLS, () -> bytes + " bytes for " + CALLS + " calls of each");
  }

  private void callAll(CudaTable calls) {
    int failures = 0;
    long address = popped.address(0);
    for (int i = 0; i < CALLS; i++) {
      failures |= calls.eventRecord(event, stream);
      failures |= calls.streamWaitEvent(stream, event, 0);
      failures |= calls.streamSynchronize(stream);
      failures |= calls.eventQuery(event);
      failures |= calls.streamQuery(stream);
      failures |= calls.ctxPushCurrent(context);
      failures |= calls.ctxPopCurrent(address);
      PointerAttributes.of(calls, address); // unknown memory
    }
    assertEquals(0, failures);
  }
}
