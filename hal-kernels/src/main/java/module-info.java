// SPDX-License-Identifier: Apache-2.0
/**
 * What drivers share of kernels: bundles, sources, their language, what is compiled, kernels in
 * Java.
 */
module org.jhal.kernels {
  requires transitive org.jhal;
  requires com.google.gson;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.kernels.bundle;
  exports org.jhal.kernels.cache;
  exports org.jhal.kernels.check;
  exports org.jhal.kernels.compile;
  exports org.jhal.kernels.dialect;
  exports org.jhal.kernels.source;
  exports org.jhal.kernels.workgroup;
}
