// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

/** What an operation does with a range of memory. */
public enum Use {
  READ("reads", "read"),
  WRITE("writes", "write"),
  ALLOCATE("allocates", "have to allocate"),
  FREE("frees", "free");

  final String now;
  final String may;

  Use(String now, String may) {
    this.now = now;
    this.may = may;
  }

  /** Whether it must not overlap a read. */
  boolean isWrite() {
    return this != READ;
  }
}
