// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import com.sun.jna.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jhal.Status;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuFunctions;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.GpuVendor;
import org.jhal.gpu.natives.GraphApi;
import org.jhal.gpu.natives.GraphSetup;
import org.jhal.gpu.natives.NativeFunctions;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.natives.WantedLibrary;
import org.jspecify.annotations.Nullable;

/** A device on which every call succeeds and nothing happens, unless a test says otherwise. */
public final class FakeRuntime extends GpuRuntime {
  /** What a native function does. */
  @FunctionalInterface
  public interface Calls {
    /** Returns the result code. A result goes into the first argument, an array. */
    int call(String function, Object[] arguments);
  }

  /** The code of a call that lacks memory. */
  public static final int OUT_OF_MEMORY = 2;

  /** Creates a runtime on which every call succeeds. */
  public FakeRuntime() {
    this((function, arguments) -> ResultCodes.SUCCESS);
  }

  /** Creates a runtime whose functions are those of a test. */
  public FakeRuntime(Calls calls) {
    super(0, fakeLibrary(calls), fake(GpuApi.class, null, calls));
  }

  private static GpuLibrary fakeLibrary(Calls calls) {
    WantedLibrary none = new WantedLibrary("none", "none", "none", Status.UNIMPLEMENTED);
    GpuVendor vendor =
        new GpuVendor(
            "fake",
            "Fake",
            new ResultCodes(fake(GpuFunctions.class, fake(GpuSetup.class, null, calls), calls))
                .with(Status.RESOURCE_EXHAUSTED, OUT_OF_MEMORY),
            new NoGraphs(),
            0,
            new WantedCollectives("none", none, List.of()),
            List.of());
    SharedLibrary any = SharedLibrary.open(Platform.C_LIBRARY_NAME);
    return new GpuLibrary(vendor, any, 1, "1", "they are not faked");
  }

  private static final class NoGraphs extends NativeFunctions<GraphApi, GraphSetup> {
    NoGraphs() {
      super(MethodHandles.lookup(), GraphApi.class, GraphSetup.class);
    }

    @Override
    protected String symbol(String method) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  protected int enablePeerAccess(GpuRuntime owner) {
    return 0;
  }

  @Override
  protected int copyAnywhere(long target, long source, long bytes, long stream) {
    return 0;
  }

  @Override
  public KernelLoader makeKernels(GpuProperties device) {
    throw new UnsupportedOperationException();
  }

  @Override
  public GraphRuntime makeGraphs() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Object view() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void bindAgain() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isCurrent() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean makeNoneCurrent() {
    throw new UnsupportedOperationException();
  }

  /** Functions that return 1 as their results unless {@code calls} sets them. */
  private static <T> T fake(Class<T> type, @Nullable Object setup, Calls calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("setup")) {
                return setup;
              }
              if (method.getReturnType() == String.class) {
                return method.getName();
              }
              if (arguments.length > 0 && arguments[0] instanceof long[] out) {
                out[0] = 1;
              } else if (arguments.length > 0 && arguments[0] instanceof int[] out) {
                out[0] = 1;
              }
              return calls.call(method.getName(), arguments);
            }));
  }
}
