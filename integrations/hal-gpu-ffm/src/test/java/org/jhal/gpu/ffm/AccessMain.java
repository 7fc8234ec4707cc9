// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import java.lang.invoke.MethodHandles;
import org.jhal.HalException;
import org.jhal.gpu.natives.BindingOption;

/** A process that prints what the JVM allows. */
final class AccessMain {
  private AccessMain() {}

  /** The address of no function: nothing is called. */
  interface Nothing {
    int nothing(int value);
  }

  public static void main(String[] arguments) {
    System.out.println("obstacle: " + new FfmBinding().obstacle());
    System.out.println("auto: " + (BindingOption.auto() == null ? "the driver's" : "ffm"));
    if (arguments.length > 0) {
      try {
        Nothing bound =
            BindingOption.require().bind(MethodHandles.lookup(), Nothing.class, name -> 8);
        System.out.println("bound: " + (bound != null));
      } catch (HalException e) {
        System.out.println(e.status() + ": " + e.getMessage());
      }
    }
  }
}
