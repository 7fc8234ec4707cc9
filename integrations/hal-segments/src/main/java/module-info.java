// SPDX-License-Identifier: Apache-2.0
/** Memory segments as host memory of JHAL; for Java 22 and newer. */
module org.jhal.segments {
  requires transitive org.jhal;
  requires static org.jspecify;

  exports org.jhal.segments;
}
