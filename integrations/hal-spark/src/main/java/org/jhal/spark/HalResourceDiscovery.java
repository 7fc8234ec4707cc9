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
 * <p>It answers for the resource that {@code spark.jhal.resource} names ({@code gpu} by default),
 * and leaves others to other plugins. {@code spark.jhal.drivers} says which devices there are: URIs
 * of drivers, separated by commas, such as {@code cuda} or {@code mock://?devices=2}. By default
 * these are the devices of all drivers that can be used on the machine and do not compute on the
 * host.
 *
 * <p>Spark calls it where the resource is looked for: in a standalone worker, or in an executor of
 * YARN or Kubernetes, before {@code --jars} are loaded. So JHAL has to be on the class path of that
 * process. The drivers load the native runtimes there, which stay loaded; where a worker should not
 * have them, {@code spark.worker.resource.NAME.discoveryScript} with a script that calls {@code hal
 * devices --spark NAME} finds the same in a process of its own.
 */
public final class HalResourceDiscovery implements ResourceDiscoveryPlugin {
  private static final System.Logger LOG = System.getLogger(HalResourceDiscovery.class.getName());

  /** Vendors' runtimes take many seconds to start on machines with many idle devices. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** For Spark. */
  public HalResourceDiscovery() {}

  /**
   * As many devices as are asked for, the same at each call.
   *
   * @throws HalException NOT_FOUND if there are fewer, with what was found and why a driver cannot
   *     be used; INVALID_ARGUMENT if {@code spark.jhal.drivers} is malformed; NOT_FOUND or
   *     UNAVAILABLE if it names a driver that is not there or cannot be used
   */
  @Override
  public Optional<ResourceInformation> discoverResource(ResourceRequest request, SparkConf conf) {
    String name = request.id().resourceName();
    String mine = SparkSettings.resource(conf);
    if (!name.equals(mine)) {
      LOG.log(
          Level.INFO,
          "resource '" + name + "' is left to others: " + SparkSettings.RESOURCE + " is " + mine);
      return Optional.empty();
    }
    Addresses found = find(conf.get(SparkSettings.DRIVERS, ""));
    if (found.uris().size() < request.amount()) {
      throw new HalException(
          Status.NOT_FOUND,
          "resource '"
              + name
              + "': "
              + request.amount()
              + " devices are asked for, but "
              + found.uris().size()
              + " were found: "
              + found.uris()
              + (found.reasons().isEmpty() ? "" : "; " + String.join("; ", found.reasons()))
              + ". "
              + SparkSettings.DRIVERS
              + " says which drivers are asked");
    }
    String[] addresses =
        found.uris().stream()
            .limit(request.amount())
            .map(DeviceUri::toString)
            .toArray(String[]::new);
    return Optional.of(new ResourceInformation(name, addresses));
  }

  private static Addresses find(String drivers) {
    try {
      return DriverRegistry.load(HalResourceDiscovery.class.getClassLoader())
          .addresses(drivers, PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HalException(
          Status.CANCELLED, "interrupted while drivers were asked for their devices", e);
    }
  }
}
