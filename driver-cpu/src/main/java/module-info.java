// SPDX-License-Identifier: Apache-2.0
/** The driver for the processors of this machine. */
module org.jhal.cpu {
  requires transitive org.jhal;
  requires org.jhal.utils;
  requires com.google.gson;
  requires com.sun.jna;
  requires java.management;
  requires jdk.management;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.cpu;

  provides org.jhal.spi.DriverProvider with
      org.jhal.cpu.CpuDriverProvider;
}
