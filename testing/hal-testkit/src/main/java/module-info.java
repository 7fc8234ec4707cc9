// SPDX-License-Identifier: Apache-2.0
/** What tests of drivers use: failures on purpose. */
module org.jhal.testkit {
  requires com.google.common;
  requires transitive org.jhal.utils;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.testkit;
}
