// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.function.BooleanSupplier;
import org.jhal.driver.HostCompletion;

/** A host completion that runs on the thread that sees the event fire. */
record BriefCompletion(Runnable body, BooleanSupplier advances) implements HostCompletion {
  BriefCompletion(Runnable body) {
    this(body, () -> false);
  }

  @Override
  public void run(Context context) {
    body.run();
  }

  @Override
  public boolean advance() {
    return advances.getAsBoolean();
  }

  @Override
  public boolean isBrief() {
    return true;
  }
}
