// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The fixture of tests of code that is loaded: a device, and bundles with a kernel {@code store},
 * which stores a number in a buffer.
 */
@Timeout(60)
public abstract class StoreKernels {
  /** The kernel in C++. */
  protected static final String SOURCE =
      "extern \"C\" __global__ void store(unsigned* out, unsigned value) { out[0] = value; }\n";

  /** The parameters of {@code store}, in a manifest. */
  protected static final String PARAMETERS =
      "{\"name\": \"out\", \"kind\": \"buffer\", \"type\": \"u32\", \"direction\": \"out\"},"
          + "{\"name\": \"value\", \"kind\": \"constant\", \"type\": \"u32\"}";

  /** The devices. */
  @RegisterExtension protected final SimulatedDevices sim = new SimulatedDevices();

  /** The folder for bundles. */
  @TempDir protected Path folder;

  /** The first device. */
  protected Device device;

  @BeforeEach
  void open() {
    device = sim.open(sim.driver().name() + "://0?close-timeout=200ms");
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
      // On a busy machine its timeout may pass.
      Waits.awaitTrue("all to be released, of " + sim.live(), () -> sim.live().isEmpty());
    }
  }

  /** A bundle with one function. */
  protected ExecutableSource bundle(
      String function, String parameters, String workgroup, String more, String variants)
      throws IOException {
    Files.writeString(folder.resolve("store.cpp"), SOURCE);
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"version\": 1, \"name\": \"b\", \"kernels\": [{\"name\": \""
            + function
            + "\", \"parameters\": ["
            + parameters
            + "], \"workgroupSize\": "
            + workgroup
            + more
            + "}], \"variants\": ["
            + variants
            + "]}");
    return ExecutableSource.of(folder);
  }

  /** A variant of a manifest. */
  protected static String variant(String format, String file) {
    return "{\"format\": \"" + format + "\", \"file\": \"" + file + "\"}";
  }

  /** A bundle with the function {@code store}. */
  protected ExecutableSource store(String parameters, String workgroup, String more)
      throws IOException {
    return bundle("store", parameters, workgroup, more, variant("gpu-c++", "store.cpp"));
  }

  /** Runs {@code store}, and closes its executable. */
  protected void assertRuns(Executable kernels) {
    try (DeviceBuffer out = device.allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device
          .queue(0)
          .dispatch(
              Fence.NONE, done.at(1), kernels.kernel("store"), Workgroups.of(1), Args.of(out, 5));
      awaitReached(done, 1);
    } finally {
      kernels.close();
    }
  }

  /** The failure to load, whose message has all of the parts. */
  protected HalException refused(ExecutableSource source, String... parts) {
    HalException failure = assertThrows(HalException.class, () -> device.loadExecutable(source));
    for (String part : parts) {
      assertTrue(failure.getMessage().contains(part), () -> part + " in: " + failure.getMessage());
    }
    return failure;
  }
}
