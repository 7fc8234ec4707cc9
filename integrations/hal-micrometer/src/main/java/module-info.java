// SPDX-License-Identifier: Apache-2.0
/** The state of open devices as meters of Micrometer. */
@SuppressWarnings("requires-transitive-automatic")
module org.jhal.micrometer {
  requires org.jhal;
  requires transitive micrometer.core;
  requires static org.jspecify;

  exports org.jhal.micrometer;
}
