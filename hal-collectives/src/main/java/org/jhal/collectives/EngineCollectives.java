// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.function.Function;
import org.jhal.DeviceQueue;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.collective.Collectives;
import org.jhal.engine.collective.DeviceCollectives;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.transfer.StagingPool;

/**
 * What the engine finds as a service.
 *
 * <p>Thread-safe.
 */
public final class EngineCollectives implements Collectives {
  @Override
  public <E> DeviceCollectives of(
      DeviceCore<E> device,
      StagingPool staging,
      Function<DeferredWorkQueue<E>, DeviceQueue> transfers) {
    return new DeviceGroups<>(device, staging, transfers);
  }
}
