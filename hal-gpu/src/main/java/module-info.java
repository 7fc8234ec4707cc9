// SPDX-License-Identifier: Apache-2.0
/** The shared code of GPU drivers. */
module org.jhal.gpu {
  requires com.google.common;
  requires transitive com.sun.jna;
  requires transitive org.jhal.utils;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.gpu;
  exports org.jhal.gpu.compile;
  exports org.jhal.gpu.natives;
  exports org.jhal.gpu.runtime;
  exports org.jhal.gpu.transfer;

  // For structures and functions of the library for collectives.
  opens org.jhal.gpu.collective to
      com.sun.jna;

  uses org.jhal.gpu.natives.NativeBinding;

  provides org.jhal.spi.BoundModule with
      org.jhal.gpu.HalGpu;
}
