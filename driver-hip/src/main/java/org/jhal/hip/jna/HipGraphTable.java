// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import org.jhal.gpu.natives.GraphApi;

/** The functions of the HIP runtime for graphs that operations call. */
public interface HipGraphTable extends GraphApi {
  int graphExecMemsetNodeSetParams(long instance, long node, long parameters);

  int graphExecMemcpyNodeSetParams1D(
      long instance, long node, long target, long source, long bytes, int kind);
}
