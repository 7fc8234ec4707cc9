// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import org.jhal.driver.HostCompletion;
import org.jhal.engine.base.DeviceCore;

/**
 * A copy between two devices: a command if the stream can reach both, otherwise a copy by the host.
 */
public final class CrossDeviceCopyWork<E> extends CommandWork<E> {
  private boolean isByHost;

  public CrossDeviceCopyWork(DeviceCore<E> device) {
    super(device);
  }

  /** Makes the host copy. The operation ends when {@code call} reports its completion. */
  public void byHost(HostCompletion call) {
    completeOnHost(call, true);
    isByHost = true;
  }

  @Override
  public boolean endsWithHostCompletion() {
    return !isByHost;
  }

  @Override
  public String kind() {
    return isByHost ? "device copy" : super.kind();
  }
}
