// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.Set;
import org.jhal.driver.support.Faults;

/** Commands that fail on purpose, while they are issued or when the stream runs them. */
final class FailingExecution extends CpuExecution {
  static final Set<String> CALLS = Set.of("command", "execute");

  private final Faults faults;

  FailingExecution(CpuDevice device, CpuThreads threads, Faults faults) {
    super(device, threads);
    this.faults = faults;
  }

  @Override
  void check(String call) {
    faults.check(call);
  }
}
