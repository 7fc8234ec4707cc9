// SPDX-License-Identifier: Apache-2.0
/** The API of JHAL and its service interface for drivers. */
module org.jhal {
  requires static java.management;
  requires static org.jspecify;

  exports org.jhal;
  exports org.jhal.kernel;
  exports org.jhal.spi;

  uses org.jhal.spi.BoundModule;
  uses org.jhal.spi.DriverProvider;
}
