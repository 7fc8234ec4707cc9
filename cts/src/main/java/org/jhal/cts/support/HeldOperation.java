// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jspecify.annotations.Nullable;

/**
 * An operation that has begun and ends when the test decides: a host call with deferred completion.
 */
public final class HeldOperation implements AutoCloseable {
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicReference<HostCall.@Nullable Completion> completion = new AtomicReference<>();
  private volatile boolean isClosed;

  /** Enqueues the operation. It ends at the end of the test at the latest. */
  public HeldOperation(Cts cts, DeviceQueue queue, Fence waits, Fence signals) {
    queue.hostCall(
        waits,
        signals,
        HostCall.Mode.BLOCKING,
        context -> {
          HostCall.Completion end = context.defer();
          completion.set(end);
          calls.incrementAndGet();
          if (isClosed) {
            end.complete();
          }
        });
    cts.closing(this);
  }

  /** How often the operation has begun. */
  public int calls() {
    return calls.get();
  }

  /** Waits until the operation has begun. */
  public void awaitRunning() {
    Waits.awaitTrue("a host call to run", () -> calls.get() > 0);
  }

  /** Ends the operation with success. */
  public void complete() {
    awaitRunning();
    HostCall.Completion end = completion.get();
    if (end != null) {
      end.complete();
    }
  }

  /** Ends the operation with a failure. */
  public void fail(HalException failure) {
    awaitRunning();
    HostCall.Completion end = completion.get();
    if (end != null) {
      end.fail(failure);
    }
  }

  /** Ends the operation, now or when it begins. */
  @Override
  public void close() {
    isClosed = true;
    HostCall.Completion end = completion.get();
    if (end != null) {
      end.complete();
    }
  }
}
