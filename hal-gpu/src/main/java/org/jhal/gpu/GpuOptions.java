// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu;

import java.time.Duration;
import org.jhal.driver.options.EngineOptions;
import org.jhal.driver.options.Option;

/** The options that drivers of GPUs share, with the same defaults. */
public final class GpuOptions {
  /** Those of the engine. */
  public static final EngineOptions ENGINE =
      new EngineOptions(2, Duration.ofNanos(50_000), Duration.ofNanos(20_000));

  /** The most memory of the device, in bytes. */
  public static final Option<Long> MEMORY =
      Option.bytesOrAll(
          "memory", "how much device memory JHAL uses at most; never more than there is");

  /** The most memory of the host for transfers, in bytes. */
  public static final Option<Long> STAGING =
      Option.bytes(
          "staging",
          32 << 20,
          64 << 10,
          1 << 30,
          "how much memory of the host is page-locked at most for transfers of pageable memory");

  private GpuOptions() {}
}
