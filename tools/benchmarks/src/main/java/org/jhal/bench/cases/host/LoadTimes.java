// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/**
 * How long it takes to open a device, and then to load the first bundle of the process. Each sample
 * is taken in a separate JVM. The caches on disk are filled before.
 *
 * @param name of the subject
 * @param uri of the device
 * @param bundle the folder or archive of the bundle, or empty for that of the benchmarks, as source
 */
public record LoadTimes(String name, String uri, String bundle, String variants)
    implements Subject {
  static final List<String> METRICS = List.of("load", "open");

  private static final String SETTING = "cache";
  private static final double MOST_NANOS = 5e6;
  private static final double NOT_LOADED = -1;

  static Series series(Bench bench) {
    ExecutableSource own = bench.kernels();
    String bundle =
        own == null || own.name().equals(Touch.BUNDLE.name()) ? "" : own.name(); // else a path
    String variants =
        own == null
            ? ""
            : own.overlays().stream()
                .map(ExecutableSource::name)
                .collect(Collectors.joining(File.pathSeparator));
    Subject jhal = new LoadTimes(JHAL, bench.uri(), bundle, variants);
    if (!bench.hasSetting(SETTING)) {
      return new Series("first", jhal, List.of());
    }
    DeviceUri parsed = DeviceUri.parse(bench.uri());
    Map<String, String> options = new LinkedHashMap<>(parsed.options());
    options.put(SETTING, "off");
    String without = new DeviceUri(parsed.driver(), parsed.selector(), options).toString();
    return new Series(
        "first",
        jhal,
        List.of(new LoadTimes("JHAL, cache=off", without, bundle, variants)),
        List.of(Aim.atMost("load", MOST_NANOS)));
  }

  /** Loads it once, to fill the caches on disk. */
  @Override
  public void prepare() throws Exception {
    double[] unused = sample();
  }

  @Override
  public double[] sample()
      throws IOException, InterruptedException, TimeoutException, NotAvailableException {
    double[] nanos = OwnJvm.numbers(LoadTimes.class, uri, bundle, variants);
    if (nanos[0] == NOT_LOADED) {
      throw new NotAvailableException(
          "the device loads none of the formats of the bundle; --kernels takes one that it loads");
    }
    return nanos;
  }

  /**
   * The program in the separate JVM; its arguments are the URI, the bundle, and folders of
   * variants.
   */
  public static void main(String[] args) {
    ExecutableSource source =
        args[1].isEmpty() ? Touch.SOURCE : ExecutableSource.of(Path.of(args[1]));
    for (String variants : args[2].isEmpty() ? new String[0] : args[2].split(File.pathSeparator)) {
      source = source.withVariants(Path.of(variants));
    }
    long start = System.nanoTime();
    try (Device device = Hal.openDevice(args[0])) {
      long opened = System.nanoTime();
      try (Executable unused = device.loadExecutable(source)) {
        OwnJvm.answer(System.nanoTime() - opened, opened - start);
      } catch (HalException e) {
        if (e.status() != Status.UNIMPLEMENTED) {
          throw e;
        }
        OwnJvm.answer(NOT_LOADED, NOT_LOADED);
      }
    }
  }
}
