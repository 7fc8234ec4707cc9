// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import org.jhal.kernels.bundle.EntryName;

/**
 * A kernel to compile.
 *
 * @param entry its name in the source, with its namespaces and template arguments if it has any
 * @param x how many work items a workgroup has along the first axis
 */
public record KernelRequest(String entry, int x, int y, int z) {
  /** The name of the function, without its namespaces. */
  public String name() {
    return EntryName.simpleName(entry);
  }

  /** The namespaces before the name, with the {@code ::} behind them; empty without any. */
  String scope() {
    int angle = entry.indexOf('<');
    String path = angle < 0 ? entry : entry.substring(0, angle);
    return path.substring(0, path.lastIndexOf(name())); // a namespace may have the name, too
  }

  /** The template arguments with a comma before them; empty without any. */
  String arguments() {
    int angle = entry.indexOf('<');
    String all = angle < 0 ? "" : entry.substring(angle + 1, entry.lastIndexOf('>'));
    return all.isBlank() ? "" : ", " + all;
  }

  String sizes() {
    return x + ", " + y + ", " + z;
  }
}
