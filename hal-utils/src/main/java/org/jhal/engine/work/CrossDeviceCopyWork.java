// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.util.function.Consumer;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two devices: a command if the stream can reach both, otherwise a copy by the host.
 */
public final class CrossDeviceCopyWork<E> extends CommandWork<E> {
  private boolean isByHost;
  private @Nullable Consumer<RecordedOperation> uses; // of a copy by the host, until it is recorded

  public CrossDeviceCopyWork(DeviceCore<E> device) {
    super(device);
  }

  /** Makes the host copy. The operation ends when {@code call} reports its completion. */
  public void byHost(HostCompletion call) {
    completeOnHost(call, true);
    isByHost = true;
  }

  /** Sets what the host copies. */
  public void uses(
      EngineBuffer from, long sourceOffset, EngineBuffer to, long targetOffset, long length) {
    uses =
        recorded -> {
          long source = from.offset + sourceOffset;
          long target = to.offset + targetOffset;
          recorded.touches(from.storage.touched(), source, source + length, Use.READ, "");
          recorded.touches(to.storage.touched(), target, target + length, Use.WRITE, "");
        };
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    if (uses != null) {
      uses.accept(recorded);
      uses = null;
    } else {
      super.recordUses(recorded);
    }
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
