// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import java.lang.invoke.MethodHandles;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.runtime.GraphLayout;

/** The functions of the HIP runtime for graphs. The driver's own binding is JNA. */
public final class HipGraphApi extends NativeFunctions<HipGraphTable, HipGraphApi.Setup>
    implements HipGraphTable {
  public static final HipGraphApi API = new HipGraphApi();

  /** The C structure {@code hipKernelNodeParams}. */
  public static final GraphLayout KERNEL =
      new GraphLayout(64, 24, 32, 0, 56, 16, GraphLayout.NO_CONTEXT);

  private HipGraphApi() {
    super(MethodHandles.lookup(), HipGraphTable.class, Setup.class);
  }

  @Override
  protected String symbol(String function) {
    return HipApi.API.functionName(function);
  }

  @Override
  public native int graphExecMemsetNodeSetParams(long instance, long node, long parameters);

  @Override
  public native int graphExecMemcpyNodeSetParams1D(
      long instance, long node, long target, long source, long bytes, int kind);

  @Override
  public native int graphExecKernelNodeSetParams(long instance, long node, long parameters);

  @Override
  public native int graphLaunch(long instance, long stream);

  /** The functions that make nodes, in HIP's forms. */
  public interface Setup extends GraphSetup {
    int graphAddMemsetNode(long node, long graph, long dependencies, long count, long parameters);

    int graphAddMemcpyNode1D(
        long node,
        long graph,
        long dependencies,
        long count,
        long target,
        long source,
        long bytes,
        int kind);
  }
}
