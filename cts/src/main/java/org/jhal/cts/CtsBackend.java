// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.DriverRegistry;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.cts.kernels.CtsKernels;

/**
 * What the suite needs to know about a driver. The author of a driver writes this one class and
 * registers it as a service in {@code META-INF/services/org.jhal.cts.CtsBackend}. Only {@link
 * #driver()} is required. The suite also runs without a backend, on a device URI alone.
 *
 * <p>Used by one thread at a time.
 */
public interface CtsBackend {
  /**
   * The system property that names a folder of variants of the suite's own kernels. They are tried
   * first; see {@link ExecutableSource#withVariants}.
   */
  String VARIANTS_PROPERTY = "jhal.cts.variants";

  /** The driver's name, as it appears in device URIs. */
  String driver();

  /** The URI of the device under test, unless {@code jhal.cts.device} names one. */
  default String uri() {
    return driver();
  }

  /**
   * Why the suite cannot run on this machine, such as a missing native library, or empty. Called
   * only if no device was requested by name. If there is a reason, all tests are skipped for it.
   */
  default Optional<String> unavailable() {
    Driver.Availability verdict = DriverRegistry.load().driver(driver()).probe();
    return verdict.isAvailable() ? Optional.empty() : Optional.of(verdict.detail());
  }

  /**
   * Opens the device under test. Called often: tests that break a device get a separate one.
   *
   * @param uri the device, with any options that a test needs
   */
  default Device open(String uri) {
    return Hal.openDevice(uri);
  }

  /**
   * Opens a second device of this driver, for tests of work that spans devices, or returns nothing
   * if that is impossible. By default, this is another device if there is one, else the same one
   * opened again, which counts as another device.
   *
   * @param uri of the device under test
   */
  default Optional<Device> openSecond(String uri) {
    DeviceUri first = DeviceUri.parse(uri);
    int count = DriverRegistry.load().driver(first.driver()).devices(first).size();
    if (count > 1 && first.selector().matches("[0-9]*")) {
      int index = first.selector().isEmpty() ? 0 : Integer.parseInt(first.selector());
      String other = String.valueOf((index + 1) % count);
      return Optional.of(open(new DeviceUri(first.driver(), other, first.options()).toString()));
    }
    return Optional.of(open(uri));
  }

  /**
   * Opens a device of another driver, for tests of work that spans drivers, or returns nothing if
   * there is none. By default, this is the last other driver on the class path that can be used: a
   * processor opens faster than a GPU, and many tests open one.
   */
  default Optional<Device> openOther() {
    DriverRegistry registry = DriverRegistry.load();
    List<DriverRegistry.Entry> entries = new ArrayList<>(registry.entries());
    Collections.reverse(entries);
    for (DriverRegistry.Entry entry : entries) {
      if (entry.problem() == null && !entry.name().equals(driver())) {
        try {
          if (registry.driver(entry.name()).probe().isAvailable()) {
            return Optional.of(registry.openDevice(entry.name()));
          }
        } catch (HalException unusable) {
          // `hal devices` shows the reason; the next driver may work
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Whether devices of this driver, as opened by {@link #open} and {@link #openSecond}, wait for
   * each other's events on the device (rule S9a). By default they do not, and the tests that rely
   * on it are unsupported. The devices themselves report whether they can use each other's memory.
   */
  default boolean sharesEvents() {
    return false;
  }

  /**
   * The suite's kernels, once for each executable format to be tested. The first one serves all
   * tests that are not about formats. By default, this is the suite's own bundle, which has the
   * formats {@code java} and {@code gpu-c++}. A driver that loads neither returns a bundle with the
   * same kernels, described in {@link CtsKernels}, and a variant in a format that it loads. Such
   * variants may also come from the folder that {@link #VARIANTS_PROPERTY} names.
   *
   * @throws HalException NOT_FOUND if there are no variants in that folder
   */
  default List<ExecutableSource> kernels() {
    String variants = System.getProperty(VARIANTS_PROPERTY);
    ExecutableSource own = CtsKernels.bundle();
    return List.of(variants == null ? own : own.withVariants(Path.of(variants)));
  }

  /**
   * The option, as {@code NAME=VALUE}, that limits a device's memory to {@code bytes}, or empty if
   * there is none. Tests of exhausted memory use it.
   */
  default Optional<String> memoryLimit(long bytes) {
    return Optional.empty();
  }

  /**
   * Whether a process can go on using the hardware after a kernel has given up on it, at least
   * through a newly opened device. If not, the suite runs the tests with such kernels, which are
   * annotated with {@link GivesUp}, in separate processes. The device itself reports whether it
   * detects such kernels: {@link DeviceInfo#reportsKernelFailures}.
   */
  default boolean survivesKernels() {
    return true;
  }

  /**
   * Whether the native runtime distinguishes addresses of its own memory from others, so that
   * {@link org.jhal.Allocator#importDevice} can reject memory that is not the device's. Queried
   * only for devices with {@link org.jhal.Capability#NATIVE_ACCESS}. True by default.
   */
  default boolean reportsForeignMemory() {
    return true;
  }

  /** Tests that can never pass on this driver, and why. A run with any of them proves nothing. */
  default List<Unsupported> unsupported() {
    return List.of();
  }

  /** Tests that do not pass yet, and why. */
  default List<ExpectedFailure> expectedFailures() {
    return List.of();
  }

  /** The controls of {@code device}, if there are any. */
  default Optional<Controls> controls(Device device) {
    return Optional.empty();
  }

  /**
   * A test that can never pass. It is listed as unsupported and not run.
   *
   * @param test {@code Class.method}, without wildcards; a name that matches no test fails the run
   * @param reason why, for readers who do not know the driver
   */
  record Unsupported(String test, String reason) {}

  /**
   * A test that does not pass yet. It is listed as an expected failure and not run, except with
   * {@code jhal.cts.verifyExpectedFailures}: then it is run, and passing is a failure.
   *
   * @param test {@code Class.method}, without wildcards; a name that matches no test fails the run
   * @param reason why it fails, for readers who do not know the driver
   * @param fix what would make it pass
   */
  record ExpectedFailure(String test, String reason, String fix) {}
}
