// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

/** As {@link GpuApi}, the functions for graphs, which not every version of a runtime has. */
public interface GraphApi {
  int graphExecKernelNodeSetParams(long instance, long node, long parameters);

  int graphLaunch(long instance, long stream);
}
