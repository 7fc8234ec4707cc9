package org.jhal.cuda;

import static org.jhal.cuda.JCudaApi.API;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuLibrary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions that operations call, although JCuda takes handles as objects. */
class JCudaApiTest {
  private static final int CALLS = 10_000;

  private long context; // 0 if nothing was opened
  private long stream;
  private long event;

  @BeforeEach
  void open() {
    Optional<String> unavailable = CudaOnSimulator.GPU.unavailable();
    assumeTrue(unavailable.isEmpty(), () -> unavailable.orElse(""));
    GpuLibrary ignored = CudaDriver.library();
    JCudaApi.Setup setup = API.setup();
    long[] out = new long[1];
    assertEquals(0, setup.devicePrimaryCtxRetain(out, 0));
    context = out[0];
    assertEquals(0, API.ctxPushCurrent(context));
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
      assertEquals(0, API.ctxPopCurrent());
      assertEquals(0, API.setup().devicePrimaryCtxRelease(0));
    }
  }

  @Test
  void callsMakeNoGarbage() {
    callAll();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    callAll();
    long bytes = threads.getThreadAllocatedBytes(thread) - before;
    assertTrue(bytes < CALLS, () -> bytes + " bytes for " + CALLS + " calls of each");
  }

  private void callAll() {
    int failures = 0;
    for (int i = 0; i < CALLS; i++) {
      failures |= API.eventRecord(event, stream);
      failures |= API.streamWaitEvent(stream, event, 0);
      failures |= API.streamSynchronize(stream);
      failures |= API.eventQuery(event);
      failures |= API.streamQuery(stream);
      failures |= API.ctxPushCurrent(context);
      failures |= API.ctxPopCurrent();
    }
    assertEquals(0, failures);
  }
}
