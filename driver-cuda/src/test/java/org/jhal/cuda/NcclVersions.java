// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.util.stream.IntStream;

/**
 * Versions of NCCL with which whole classes of tests run: the newest in every build, and with the
 * profile {@code long} also an older one, which can do less.
 */
final class NcclVersions {
  private static final int NEWEST = 22803;

  private NcclVersions() {}

  static IntStream newestAnd21800() {
    return newestAnd(21800);
  }

  static IntStream newestAnd21300() {
    return newestAnd(21300);
  }

  private static IntStream newestAnd(int older) {
    return Boolean.getBoolean("jhal.test.long")
        ? IntStream.of(NEWEST, older)
        : IntStream.of(NEWEST);
  }
}
