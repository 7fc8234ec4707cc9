// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.TimepointCallback;
import org.jspecify.annotations.Nullable;

/** A semaphore that forwards every call. */
class ForwardingSemaphore implements TimelineSemaphore {
  final TimelineSemaphore right;

  ForwardingSemaphore(TimelineSemaphore right) {
    this.right = right;
  }

  /** The same timepoints on semaphores that a queue knows. */
  static Fence unwrap(Fence fence) {
    List<Timepoint> timepoints = new ArrayList<>();
    for (int i = 0; i < fence.size(); i++) {
      TimelineSemaphore semaphore = fence.semaphore(i);
      TimelineSemaphore known =
          semaphore instanceof ForwardingSemaphore own ? own.right : semaphore;
      timepoints.add(known.at(fence.value(i)));
    }
    return Fence.of(timepoints);
  }

  @Override
  public TimelineSemaphore named(String name) {
    var unused = right.named(name);
    return this;
  }

  @Override
  public long value() {
    return right.value();
  }

  @Override
  public @Nullable HalException failure() {
    return right.failure();
  }

  @Override
  public void signal(long value) {
    right.signal(value);
  }

  @Override
  public void fail(HalException failure) {
    right.fail(failure);
  }

  @Override
  public void await(long value) throws InterruptedException {
    right.await(value);
  }

  @Override
  public void await(long value, Duration timeout) throws InterruptedException {
    right.await(value, timeout);
  }

  @Override
  public boolean tryAwait(long value, Duration timeout) throws InterruptedException {
    return right.tryAwait(value, timeout);
  }

  @Override
  public Registration onReach(long value, TimepointCallback callback) {
    return right.onReach(value, callback);
  }

  @Override
  public CompletableFuture<@Nullable Void> whenReached(long value) {
    return right.whenReached(value);
  }

  @Override
  public String explain(long value) {
    return right.explain(value);
  }

  @Override
  public void close() {
    right.close();
  }

  @Override
  public String toString() {
    return right.toString();
  }
}
