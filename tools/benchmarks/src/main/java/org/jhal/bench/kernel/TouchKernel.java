// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import org.jhal.kernel.Workgroup;

/** The kernel of {@code touch/manifest.json} in the format {@code java}. */
public final class TouchKernel {
  private TouchKernel() {}

  /** Writes a word. One workgroup. */
  public static void touch(Workgroup group) {
    group.memory(0).putInt(0, group.i32(1));
  }
}
