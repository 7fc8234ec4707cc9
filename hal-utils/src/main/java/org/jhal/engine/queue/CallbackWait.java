package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Registration;
import org.jhal.TimepointCallback;

/** A user's callback that waits for a value (rule S7). */
final class CallbackWait extends WaitNode implements Registration {
  private static final System.Logger LOG = System.getLogger(CallbackWait.class.getName());

  private final EngineSemaphore semaphore;
  private final TimepointCallback callback;
  private final AtomicBoolean isDecided =
      new AtomicBoolean(); // who sets it runs the callback, or cancelled it

  CallbackWait(EngineSemaphore semaphore, TimepointCallback callback) {
    this.semaphore = semaphore;
    this.callback = callback;
  }

  @Override
  void released() {
    if (!isDecided.compareAndSet(false, true)) {
      return; // cancel() came between the removal and this call
    }
    Cascade cascade = Cascade.current();
    cascade.enterCallback();
    try {
      callback.done(failure);
    } catch (Throwable t) { // rule S7: what a callback throws is nobody else's business
      LOG.log(Level.ERROR, "a callback on " + semaphore + " threw", t);
    } finally {
      cascade.leaveCallback();
    }
  }

  @Override
  public boolean cancel() {
    if (!isDecided.compareAndSet(false, true)) {
      return false;
    }
    semaphore.deregister(this);
    return true;
  }

  @Override
  public String toString() {
    return "callback on " + semaphore;
  }
}
