// SPDX-License-Identifier: Apache-2.0
/** The driver of docs/writing-a-driver.md. */
module org.example.tiny {
  requires static org.jspecify;
  requires org.jhal.utils;

  exports org.example.tiny;

  provides org.jhal.spi.DriverProvider with
      org.example.tiny.TinyDriverProvider;
}
