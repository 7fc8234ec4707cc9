// SPDX-License-Identifier: Apache-2.0
/** The driver that runs everything on the CPU. */
module org.jhal.mock {
  requires transitive org.jhal;
  requires org.jhal.utils;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.mock;

  provides org.jhal.spi.DriverProvider with
      org.jhal.mock.MockDriverProvider;
}
