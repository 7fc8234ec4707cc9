// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.api.resource.ResourceDiscoveryPlugin;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.resource.ResourceRequest;
import org.jhal.DeviceUri;
import org.jhal.DriverRegistry;
import org.jhal.DriverRegistry.Addresses;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Finds the devices of a machine for Spark: {@code
 * spark.resources.discoveryPlugin=org.jhal.spark.HalResourceDiscovery}. The addresses of the
 * resource are URIs that open the devices, such as {@code cuda://GPU-8932f937-…}.
 *
 * <p>It handles the resource that {@code spark.jhal.resource} names ({@code gpu} by default), and
 * leaves others to other plugins. {@code spark.jhal.drivers} selects the devices: URIs of drivers,
 * separated by commas, such as {@code cuda} or {@code mock://?devices=2}. By default these are the
 * devices of all drivers that can be used on the machine and do not compute on the host.
 *
 * <p>Spark calls it in the process that needs the resource: in a standalone worker, or in an
 * executor of YARN or Kubernetes, before {@code --jars} are loaded. So JHAL has to be on the class
 * path of that process. The drivers load the native runtimes there, which stay loaded. To keep them
 * out of a worker, set {@code spark.worker.resource.NAME.discoveryScript} to a script that calls
 * {@code hal devices --spark NAME}, which finds the same devices in a separate process.
 */
public final class HalResourceDiscovery implements ResourceDiscoveryPlugin {
  private static final System.Logger LOG = System.getLogger(HalResourceDiscovery.class.getName());

  /** Vendors' runtimes take many seconds to start on machines with many idle devices. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** For Spark. */
  public HalResourceDiscovery() {}

  /**
   * Returns as many devices as are requested, the same at each call.
   *
   * @throws HalException NOT_FOUND if there are fewer, with those that were found and why a driver
   *     cannot be used; INVALID_ARGUMENT if {@code spark.jhal.drivers} is malformed; NOT_FOUND or
   *     UNAVAILABLE if it names a driver that is missing or cannot be used
   */
  @Override
  public Optional<ResourceInformation> discoverResource(ResourceRequest request, SparkConf conf) {
    String name = request.id().resourceName();
    String mine = SparkSettings.resource(conf);
    if (!name.equals(mine)) {
      LOG.log(
          Level.INFO,
          "resource '" + name + "' is ignored: " + SparkSettings.RESOURCE + " is " + mine);
      return Optional.empty();
    }
    Addresses found = find(conf);
    if (found.uris().size() < request.amount()) {
      throw new HalException(
          Status.NOT_FOUND,
          "resource '"
              + name
              + "': "
              + request.amount()
              + " devices are requested, but "
              + found.uris().size()
              + " were found: "
              + found.uris()
              + (found.reasons().isEmpty() ? "" : "; " + String.join("; ", found.reasons()))
              + ". "
              + SparkSettings.DRIVERS
              + " selects the drivers");
    }
    String[] addresses =
        found.uris().stream()
            .limit(request.amount())
            .map(DeviceUri::toString)
            .toArray(String[]::new);
    return Optional.of(new ResourceInformation(name, addresses));
  }

  /** All devices of this machine that the settings select. */
  static Addresses find(SparkConf conf) {
    String drivers = conf.get(SparkSettings.DRIVERS, "");
    try {
      return DriverRegistry.load(HalResourceDiscovery.class.getClassLoader())
          .addresses(drivers, PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HalException(Status.CANCELLED, "interrupted while drivers listed their devices", e);
    }
  }
}
