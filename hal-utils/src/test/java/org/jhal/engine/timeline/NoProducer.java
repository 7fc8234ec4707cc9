// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.util.function.BooleanSupplier;

/** A producer whose event nobody polls. */
final class NoProducer implements Producer {
  @Override
  public long spinNanos() {
    return 0;
  }

  @Override
  public boolean settleWhenFired(long end, BooleanSupplier isOver) {
    return false;
  }

  @Override
  public void want() {}
}
