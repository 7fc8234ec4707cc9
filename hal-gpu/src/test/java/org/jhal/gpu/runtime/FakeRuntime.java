package org.jhal.gpu.runtime;

import java.lang.reflect.Proxy;
import java.util.List;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.LaunchGate;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.WantedCollectives;
import org.jspecify.annotations.Nullable;

/** A device on which every call succeeds and nothing happens. */
public final class FakeRuntime extends GpuRuntime {
  /** A new one. */
  public FakeRuntime() {
    super(
        0,
        new ResultCodes(fake(GpuApi.class, fake(GpuSetup.class, null))),
        new PinnedRanges(),
        new LaunchGate());
  }

  @Override
  public void retain() {}

  @Override
  public void release() {}

  @Override
  public Object library() {
    return this;
  }

  @Override
  protected int enablePeerAccess(GpuRuntime owner) {
    return 0;
  }

  @Override
  public WantedCollectives collectives() {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<String> launchBlocking() {
    return List.of();
  }

  @Override
  public KernelLoader kernels() {
    throw new UnsupportedOperationException();
  }

  @Override
  public @Nullable GraphRuntime graphs() {
    return null;
  }

  @Override
  public long endOfLaunchList() {
    return 0;
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

  @Override
  public void checkDeviceMemory(long address, long bytes) {
    throw new UnsupportedOperationException();
  }

  /** Functions that succeed; each makes the handle 1, and {@code setup} returns the others. */
  private static <T> T fake(Class<T> type, @Nullable Object setup) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("setup")) {
                return setup;
              }
              if (arguments.length > 0 && arguments[0] instanceof long[] out) {
                out[0] = 1;
              }
              return 0;
            }));
  }
}
