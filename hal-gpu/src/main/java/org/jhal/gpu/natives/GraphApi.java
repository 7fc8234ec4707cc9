package org.jhal.gpu.natives;

/**
 * The functions for graphs that operations call and that the runtimes of all vendors have alike, as
 * {@link GpuApi} has the others. Not every version of a runtime has them.
 */
public interface GraphApi {
  /** The other functions. */
  GraphSetup setup();

  int graphExecKernelNodeSetParams(long instance, long node, long parameters);

  int graphLaunch(long instance, long stream);
}
