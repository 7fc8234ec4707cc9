// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.Workgroups;

/** A dispatch that is measured: a kernel, its grid and its arguments. */
public interface KernelRun {
  /** The kernel's name, which is also that of a function of each peer. */
  String kernel();

  /** The bundle that has the kernel. */
  ExecutableSource bundle();

  /** The grid. */
  Workgroups groups();

  /** New arguments in the order of the parameters: a direct buffer for each buffer, and numbers. */
  List<Object> arguments();

  /** Which of the arguments is written. */
  int result();
}
