// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.memory;

import org.jhal.driver.support.FreeThread;
import org.jhal.gpu.runtime.GpuMemory;

/** Device memory that the program has allocated with the native runtime, and will free. */
public record ForeignMemory(FreeThread frees, int place, long address, long size)
    implements GpuMemory {
  @Override
  public void free() {
    free(() -> {});
  }

  /** Frees nothing, but {@code then} may let the program free it, which may wait for the device. */
  @Override
  public void free(Runnable then) {
    frees.freeSoon(() -> {}, then);
  }
}
