// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.time.Duration;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jspecify.annotations.Nullable;

/** Defects of semaphores. */
final class WrongSemaphores {
  private WrongSemaphores() {}

  /** It accepts a signal of its current value. */
  static final class TakesTheSameValue extends ForwardingSemaphore {
    TakesTheSameValue(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void signal(long value) {
      if (value != right.value()) {
        super.signal(value);
      }
    }
  }

  /** It keeps its last failure instead of its first. */
  static final class KeepsTheLastFailure extends ForwardingSemaphore {
    private volatile @Nullable HalException last;

    KeepsTheLastFailure(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void fail(HalException failure) {
      super.fail(failure);
      last = failure;
    }

    @Override
    public long value() {
      HalException failure = last;
      if (failure != null) {
        throw failure.again();
      }
      return super.value();
    }
  }

  /** It keeps that it has failed, but not why. */
  static final class ForgetsWhyItFailed extends ForwardingSemaphore {
    ForgetsWhyItFailed(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void fail(HalException failure) {
      super.fail(new HalException(failure.status(), "the semaphore failed"));
    }
  }

  /** A wait returns normally at its deadline. */
  static final class ReturnsAtTheDeadline extends ForwardingSemaphore {
    ReturnsAtTheDeadline(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void await(long value, Duration timeout) throws InterruptedException {
      try {
        super.await(value, timeout);
      } catch (HalException e) {
        if (e.status() != Status.DEADLINE_EXCEEDED) {
          throw e;
        }
      }
    }
  }

  /** Closing it does nothing; the garbage collector reclaims it later. */
  static final class ClosesNothing extends ForwardingSemaphore {
    ClosesNothing(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void close() {}
  }

  /** It runs callbacks when it is signalled, and again when it cleans up. */
  static final class CallsBackTwice extends ForwardingSemaphore {
    CallsBackTwice(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public Registration onReach(long value, TimepointCallback callback) {
      return super.onReach(
          value,
          failure -> {
            callback.done(failure);
            callback.done(failure);
          });
    }
  }
}
