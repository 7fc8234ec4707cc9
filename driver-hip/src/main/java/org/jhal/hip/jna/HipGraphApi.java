package org.jhal.hip.jna;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.runtime.GraphLayout;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the HIP runtime for graphs.
 *
 * <p>{@link #bind} must be called first.
 */
public final class HipGraphApi implements GraphApi {
  public static final HipGraphApi API = new HipGraphApi();

  /** The C structure {@code hipKernelNodeParams}. */
  public static final GraphLayout KERNEL = new GraphLayout(64, 24, 32, 0, 56, 16);

  private volatile @Nullable Setup setup; // null until the functions are bound

  private HipGraphApi() {}

  /** The names of all functions. */
  public static List<String> symbols() {
    return Stream.of(HipGraphApi.class, Setup.class)
        .flatMap(mapping -> SharedLibrary.functions(mapping).stream())
        .map(HipApi.API::functionName)
        .sorted()
        .toList();
  }

  /** Binds the functions to a library that has them all. */
  public static void bind(SharedLibrary library) {
    library.bind(HipGraphApi.class, HipApi.API::functionName);
    API.setup = library.map(Setup.class, HipApi.PREFIX);
  }

  public native int graphExecMemsetNodeSetParams(long instance, long node, long parameters);

  public native int graphExecMemcpyNodeSetParams1D(
      long instance, long node, long target, long source, long bytes, int kind);

  @Override
  public native int graphExecKernelNodeSetParams(long instance, long node, long parameters);

  @Override
  public native int graphLaunch(long instance, long stream);

  @Override
  public Setup setup() {
    return Objects.requireNonNull(setup, "HipGraphApi.bind has not been called");
  }

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
