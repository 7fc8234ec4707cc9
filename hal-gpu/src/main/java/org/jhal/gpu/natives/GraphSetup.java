// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Library;

/** As {@link GpuSetup}, the functions that create and destroy graphs. */
public interface GraphSetup extends Library {
  int graphCreate(long[] graph, int flags);

  int graphDestroy(long graph);

  int graphAddKernelNode(long node, long graph, long dependencies, long count, long parameters);

  int graphInstantiateWithFlags(long[] instance, long graph, long flags);

  int graphExecDestroy(long instance);

  int graphUpload(long instance, long stream);

  int streamBeginCapture(long stream, int mode);

  int streamEndCapture(long stream, long[] graph);
}
