// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jhal.Device;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** A program that ends with System.exit, and computes while it does: see ExitTest. */
@EnableAutoConfiguration
class ExitProgram {
  @Bean
  Doubling doubling(Device device) {
    return new Doubling(device) {
      @Override
      public void destroy() throws Exception {
        awaitHookOf(device);
        super.destroy();
        System.out.println("computed " + Arrays.toString(computedAtTheEnd));
      }
    };
  }

  public static void main(String[] args) {
    new SpringApplication(ExitProgram.class).run(args);
    System.exit(0);
  }

  /** Waits until the shutdown hook of JHAL has closed the device, or waits for this program. */
  private static void awaitHookOf(Device device) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!device.isClosed() && !isHookWaiting()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("the shutdown hook of JHAL does not run");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static boolean isHookWaiting() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            thread ->
                thread.getName().equals("jhal-exit-close")
                    && LockSupport.getBlocker(thread) != null);
  }
}
