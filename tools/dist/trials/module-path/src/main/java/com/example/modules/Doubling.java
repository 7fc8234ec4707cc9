// SPDX-License-Identifier: Apache-2.0
package com.example.modules;

import org.jhal.kernel.Floats;
import org.jhal.kernel.JavaKernel;
import org.jhal.kernel.Workgroup;

/** A kernel as a class of the application. */
public final class Doubling implements JavaKernel {
  @Override
  public void run(Workgroup group) {
    Floats x = group.memory(0).floats();
    for (long i = group.firstX(); i < group.endX(x.length()); i++) {
      x.set(i, 2 * x.get(i));
    }
  }
}
