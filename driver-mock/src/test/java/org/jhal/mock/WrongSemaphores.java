package org.jhal.mock;

import java.time.Duration;
import org.jhal.HalException;
import org.jhal.Registration;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.TimepointCallback;
import org.jspecify.annotations.Nullable;

/** What a driver's author may get wrong in a semaphore. */
final class WrongSemaphores {
  private WrongSemaphores() {}

  /** Signalling the value that it has is fine. */
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

  /** The last failure counts. */
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

  /** Of a failure it keeps that there was one. */
  static final class ForgetsWhyItFailed extends ForwardingSemaphore {
    ForgetsWhyItFailed(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void fail(HalException failure) {
      super.fail(new HalException(failure.status(), "the semaphore failed"));
    }
  }

  /** A wait whose time is over returns. */
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

  /** Closing it leaves it to the garbage collector. */
  static final class ClosesNothing extends ForwardingSemaphore {
    ClosesNothing(TimelineSemaphore right) {
      super(right);
    }

    @Override
    public void close() {}
  }

  /** It runs callbacks when it is signalled, and again when it tidies up. */
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
