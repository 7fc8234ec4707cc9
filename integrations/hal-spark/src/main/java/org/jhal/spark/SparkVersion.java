// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import org.apache.spark.package$;

/** The supported versions of Spark. */
final class SparkVersion {
  /** The major version that this was compiled for. */
  private static final String MAJOR = "4";

  private SparkVersion() {}

  /**
   * Checks the Spark of this process.
   *
   * @throws IllegalStateException if it has another major version
   */
  static void check() {
    check(package$.MODULE$.SPARK_VERSION());
  }

  static void check(String version) {
    if (!version.equals(MAJOR) && !version.startsWith(MAJOR + ".")) {
      throw new IllegalStateException(
          "this is Spark "
              + version
              + ", but this version of hal-spark is made for Spark "
              + MAJOR
              + ".x; major versions of Spark differ in what plugins call");
    }
  }
}
