// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.driver;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.DriverRegistry;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.spi.DriverProvider;
import org.junit.jupiter.api.Test;

/** How third-party drivers on the class path are found (rules D1, D2 and D4). */
@CtsSuite
class DriverDiscoveryTest {
  /** A driver without devices. */
  private record Empty(String name) implements Driver {
    @Override
    public Availability probe() {
      return Availability.unavailable("libnothing.so.1 was not found in /nowhere");
    }

    @Override
    public List<DeviceInfo> devices(DeviceUri uri) {
      throw new HalException(Status.UNAVAILABLE, probe().detail());
    }

    @Override
    public Device open(DeviceUri uri) {
      throw new HalException(Status.UNAVAILABLE, probe().detail());
    }
  }

  /** A driver that cannot be used on any machine. */
  public static final class AbsentProvider implements DriverProvider {
    @Override
    public String name() {
      return "cts-absent";
    }

    @Override
    public String apiVersion() {
      return API_VERSION;
    }

    @Override
    public String spiVersion() {
      return SPI_VERSION;
    }

    @Override
    public Driver create() {
      return new Empty(name());
    }
  }

  /** A driver that was compiled against other versions of the API and the SPI. */
  public static final class OldProvider implements DriverProvider {
    @Override
    public String name() {
      return "cts-old";
    }

    @Override
    public String apiVersion() {
      return "7" + API_VERSION;
    }

    @Override
    public String spiVersion() {
      return SPI_VERSION + "7"; // a later minor version
    }

    @Override
    public Driver create() {
      throw new AssertionError("an incompatible driver must not be made");
    }
  }

  /** A driver whose provider cannot even be created. */
  public static final class BrokenProvider implements DriverProvider {
    /** Throws. */
    public BrokenProvider() {
      throw new IllegalStateException("broken on purpose");
    }

    @Override
    public String name() {
      return "cts-broken";
    }

    @Override
    public String apiVersion() {
      return API_VERSION;
    }

    @Override
    public String spiVersion() {
      return SPI_VERSION;
    }

    @Override
    public Driver create() {
      return new Empty(name());
    }
  }

  /** Checks a registry that also finds the drivers of a folder outside the class path. */
  private static void withDrivers(Consumer<DriverRegistry> check, Class<?>... providers)
      throws Exception {
    Path folder = Files.createTempDirectory("jhal-cts");
    Path services = folder.resolve("META-INF/services/" + DriverProvider.class.getName());
    try {
      Files.createDirectories(services.getParent());
      Files.write(services, Stream.of(providers).map(Class::getName).toList());
      ClassLoader parent = Thread.currentThread().getContextClassLoader();
      try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, parent)) {
        check.accept(DriverRegistry.load(loader));
      }
    } finally {
      Files.delete(services);
      Files.delete(services.getParent());
      Files.delete(folder.resolve("META-INF"));
      Files.delete(folder);
    }
  }

  private static DriverRegistry.Entry entry(DriverRegistry registry, String name) {
    return registry.entries().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not among " + registry.entries()));
  }

  @Test
  @Rule("D4")
  void aDriverOnTheClassPathIsFound(Cts cts) throws Exception {
    String own = DeviceUri.parse(cts.uri()).driver();
    withDrivers(
        registry -> {
          assertNull(entry(registry, "cts-absent").problem());
          assertNull(entry(registry, own).problem());
          assertEquals("cts-absent", registry.driver("cts-absent").name());
        },
        AbsentProvider.class);
  }

  @Test
  @Rule("D4")
  void anIncompatibleDriverIsRejectedWithBothVersions(Cts cts) throws Exception {
    withDrivers(
        registry -> {
          String problem = entry(registry, "cts-old").problem();
          assertNotNull(problem);
          String[] versions = {
            "API version 7" + DriverProvider.API_VERSION,
            "version " + DriverProvider.API_VERSION,
            "SPI version " + DriverProvider.SPI_VERSION + "7",
            "version " + DriverProvider.SPI_VERSION
          };
          for (String version : versions) {
            assertTrue(problem.contains(version), problem);
          }
          assertHal(Status.FAILED_PRECONDITION, () -> registry.driver("cts-old"), versions);
        },
        OldProvider.class);
  }

  @Test
  @Rule("D4")
  void aBrokenDriverDoesNotAffectOthers(Cts cts) throws Exception {
    String own = DeviceUri.parse(cts.uri()).driver();
    withDrivers(
        registry -> {
          assertTrue(
              registry.entries().stream()
                  .anyMatch(one -> String.valueOf(one.problem()).contains("broken on purpose")),
              () -> "the broken driver and its problem are not listed: " + registry.entries());
          assertTrue(registry.driver(own).probe().isAvailable());
          assertNull(entry(registry, "cts-absent").problem());
        },
        BrokenProvider.class,
        AbsentProvider.class);
  }

  @Test
  @Rule("D2")
  void anUnknownDriverNameReportsWhyOthersAreUnusable(Cts cts) throws Exception {
    withDrivers(
        registry ->
            assertHal(
                Status.NOT_FOUND,
                () -> registry.openDevice("nosuchdriver://0"),
                "nosuchdriver",
                DeviceUri.parse(cts.uri()).driver(),
                "cts-absent",
                "libnothing.so.1 was not found in /nowhere",
                "cts-old",
                "API version 7" + DriverProvider.API_VERSION),
        AbsentProvider.class,
        OldProvider.class);
  }

  @Test
  @Rule({"D1", "D2"})
  void anUnusableDriverReportsTheMissingLibrary(Cts cts) throws Exception {
    withDrivers(
        registry ->
            assertHal(
                Status.UNAVAILABLE,
                () -> registry.openDevice("cts-absent"),
                "libnothing.so.1",
                "/nowhere"),
        AbsentProvider.class);
  }
}
