package org.jhal.gpu.natives;

/**
 * The functions for graphs that the runtimes of all vendors have alike, as {@link GpuApi} has the
 * others. Not every version of a runtime has them.
 */
public interface GraphApi {
  int graphCreate(long[] graph, int flags);

  int graphDestroy(long graph);

  int graphAddKernelNode(long node, long graph, long dependencies, long count, long parameters);

  int graphExecKernelNodeSetParams(long instance, long node, long parameters);

  int graphInstantiateWithFlags(long[] instance, long graph, long flags);

  int graphExecDestroy(long instance);

  int graphUpload(long instance, long stream);

  int graphLaunch(long instance, long stream);
}
