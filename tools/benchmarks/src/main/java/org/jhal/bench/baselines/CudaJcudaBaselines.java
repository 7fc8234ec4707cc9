// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.util.function.Consumer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUhostFn;
import jcuda.driver.JCudaDriver;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;

/** The baselines that are calls of JCuda. They do what those of the raw program do. */
public final class CudaJcudaBaselines {
  /** The name of the baseline that launches as JCuda's documentation shows it. */
  public static final String DOCUMENTED = "JCuda, as documented";

  /** The name of the baseline whose arguments are packed in advance. */
  static final String PACKED = "JCuda, packed";

  /** The name of the baselines that have only one way to do it. */
  public static final String PLAIN = "JCuda";

  private CudaJcudaBaselines() {}

  /**
   * A launch, an event, and the host waits for it; each is timed.
   *
   * @param isBlocking whether the host blocks, or else polls
   */
  public static Subject roundTrip(CudaJcuda cuda, boolean isPacked, boolean isBlocking, int steps) {
    Consumer<CudaJcuda> launch = isPacked ? CudaJcuda::launchPacked : CudaJcuda::launchAsDocumented;
    int flags =
        CUevent_flags.CU_EVENT_DISABLE_TIMING
            | (isBlocking ? CUevent_flags.CU_EVENT_BLOCKING_SYNC : 0);
    return subject(
        isPacked ? PACKED : DOCUMENTED,
        cuda,
        entered -> {
          long[] nanos = new long[steps];
          CUevent event = event(flags);
          entered.clear();
          for (int i = 0; i < steps; i++) {
            long start = System.nanoTime();
            launch.accept(entered);
            record(event, entered);
            synchronize(event);
            nanos[i] = System.nanoTime() - start;
          }
          entered.expectTouched();
          destroy(event);
          return Quartiles.of(nanos);
        });
  }

  /** A launch, a host function behind it, and a thread that is parked until that runs. */
  public static Subject hostFunction(CudaJcuda cuda, int steps) {
    return subject(
        PLAIN,
        cuda,
        entered -> {
          long[] nanos = new long[steps];
          Baselines.Counter done = new Baselines.Counter(0);
          CUhostFn function = unused -> done.advance();
          entered.clear();
          for (int i = 0; i < steps; i++) {
            long start = System.nanoTime();
            entered.launchAsDocumented();
            CudaJcuda.check(
                JCudaDriver.cuLaunchHostFunc(entered.stream(), function, null), "cuLaunchHostFunc");
            done.await(i + 1);
            nanos[i] = System.nanoTime() - start;
          }
          entered.expectTouched();
          return Quartiles.of(nanos);
        });
  }

  /** An allocation, an event, its freeing, an event, in the order of the stream. */
  public static Subject allocations(CudaJcuda cuda, long bytes, int steps) {
    return subject(
        PLAIN,
        cuda,
        entered -> {
          CUevent allocated = event(CUevent_flags.CU_EVENT_DISABLE_TIMING);
          CUevent freed = event(CUevent_flags.CU_EVENT_DISABLE_TIMING);
          CUdeviceptr memory = new CUdeviceptr();
          long start = System.nanoTime();
          for (int i = 0; i < steps; i++) {
            CudaJcuda.check(
                JCudaDriver.cuMemAllocAsync(memory, bytes, entered.stream()), "cuMemAllocAsync");
            record(allocated, entered);
            CudaJcuda.check(JCudaDriver.cuMemFreeAsync(memory, entered.stream()), "cuMemFreeAsync");
            record(freed, entered);
          }
          synchronize(freed);
          double time = (System.nanoTime() - start) / (double) steps;
          destroy(allocated);
          destroy(freed);
          return new double[] {time};
        });
  }

  private static Subject subject(String name, CudaJcuda cuda, CudaJcuda.Body body) {
    return new Subject() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public double[] sample() throws Exception {
        return cuda.inContext(body);
      }
    };
  }

  private static CUevent event(int flags) {
    CUevent event = new CUevent();
    CudaJcuda.check(JCudaDriver.cuEventCreate(event, flags), "cuEventCreate");
    return event;
  }

  private static void record(CUevent event, CudaJcuda cuda) {
    CudaJcuda.check(JCudaDriver.cuEventRecord(event, cuda.stream()), "cuEventRecord");
  }

  private static void synchronize(CUevent event) {
    CudaJcuda.check(JCudaDriver.cuEventSynchronize(event), "cuEventSynchronize");
  }

  private static void destroy(CUevent event) {
    CudaJcuda.check(JCudaDriver.cuEventDestroy(event), "cuEventDestroy");
  }
}
