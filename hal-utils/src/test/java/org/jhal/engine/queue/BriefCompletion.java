package org.jhal.engine.queue;

import org.jhal.driver.HostCompletion;

/** A host completion that runs on the thread that sees the event fire. */
record BriefCompletion(Runnable body) implements HostCompletion {
  @Override
  public void run(Context context) {
    body.run();
  }

  @Override
  public boolean isBrief() {
    return true;
  }
}
