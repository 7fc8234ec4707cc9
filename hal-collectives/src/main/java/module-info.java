// SPDX-License-Identifier: Apache-2.0
/** Collectives, for all drivers on the engine, which finds this module as a service. */
module org.jhal.collectives {
  requires com.google.common;
  requires org.jhal.utils;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  provides org.jhal.engine.collective.Collectives with
      org.jhal.collectives.EngineCollectives;
}
