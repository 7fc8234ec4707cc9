// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.collective;

import java.util.function.Function;
import org.jhal.DeviceQueue;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.transfer.StagingPool;

/**
 * The hook by which the engine meets the module that carries out collectives, which provides this
 * service; see {@link CollectivesModule}.
 *
 * <p>Thread-safe.
 */
public interface Collectives {
  /**
   * Makes what a device serves its groups with. Called when the first group of an open device is
   * made.
   *
   * @param <E> the driver's native event
   * @param staging the staging memory of collectives whose first device this is
   * @param transfers makes a view of a hidden queue that accepts transfers even while the device is
   *     closing
   */
  <E> DeviceCollectives of(
      DeviceCore<E> device,
      StagingPool staging,
      Function<DeferredWorkQueue<E>, DeviceQueue> transfers);
}
