// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Registration;
import org.jhal.TimepointCallback;
import org.jhal.driver.support.Attempt;

/** A user's callback that waits for a value (rule S7). Any thread may cancel it. */
final class CallbackWait extends WaitNode implements Registration, Attempt.Body {
  private static final System.Logger LOG = System.getLogger(CallbackWait.class.getName());

  private final EngineSemaphore semaphore;
  private final long wanted;
  private final TimepointCallback callback;
  // Set once, by the thread that runs the callback or by the one that cancels it.
  private final AtomicBoolean isDecided = new AtomicBoolean();

  CallbackWait(EngineSemaphore semaphore, long wanted, TimepointCallback callback) {
    super(null);
    this.semaphore = semaphore;
    this.wanted = wanted;
    this.callback = callback;
  }

  @Override
  public void released(Cascade cascade) {
    if (cascade.leaves(this)) {
      return;
    }
    Throwable thrown = ProgramCode.callback("a callback", this);
    if (thrown != null) { // rule S7: it is logged and dropped
      Failures.log(LOG, Level.ERROR, "a callback on " + semaphore + " threw", thrown);
    }
  }

  @Override
  public void run() {
    if (isDecided.compareAndSet(false, true)) { // unless it was cancelled meanwhile
      if (failure == null) {
        semaphore.noteObserved(wanted);
      } else {
        semaphore.noteObservedFailure();
      }
      callback.done(failure);
    }
  }

  @Override
  public boolean cancel() {
    if (!isDecided.compareAndSet(false, true)) {
      return false;
    }
    // A signaller may have removed this node already. Its call of released() then does nothing.
    semaphore.deregister(this);
    return true;
  }

  @Override
  public String toString() {
    return "callback on " + semaphore;
  }
}
