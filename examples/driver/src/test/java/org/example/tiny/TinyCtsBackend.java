// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.util.List;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;

/** The driver as the conformance suite sees it. */
public final class TinyCtsBackend implements CtsBackend {
  /** For the service loader. */
  public TinyCtsBackend() {}

  @Override
  public String driver() {
    return TinyDriver.NAME;
  }

  @Override
  public List<ExecutableSource> kernels() {
    return List.of(ExecutableSource.ofResources(TinyCtsBackend.class, "kernels"));
  }

  @Override
  public Optional<String> memoryLimit(long bytes) {
    return Optional.of("memory=" + bytes);
  }

  @Override
  public Device open(String uri) {
    return TinyControls.open(uri);
  }

  @Override
  public Optional<Controls> controls(Device device) {
    return TinyControls.of(device);
  }
}
