package org.jhal.engine.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jhal.DeviceInfo;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.KernelModule;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Manifest;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.support.EarlyClasses;
import org.jhal.engine.base.BackendCalls;
import org.jhal.engine.base.DeviceCore;
import org.jspecify.annotations.Nullable;

/**
 * Loads executables on one device: chooses the variant of a bundle that its driver takes.
 *
 * <p>Thread-safe.
 */
public final class ExecutableLoader {
  private final DeviceCore<?> device;
  private final DeviceBackend<?> backend;
  private final BackendCalls calls;

  public ExecutableLoader(DeviceCore<?> device) {
    this.device = device;
    this.backend = device.backend();
    this.calls = device.calls();
  }

  /** Loads a variant. A class rather than a lambda, so that {@link #warmUp} can initialise it. */
  private record Loading(
      DeviceCore<?> device,
      ExecutableSource source,
      Variant variant,
      Manifest manifest,
      List<String> refusals)
      implements Supplier<Executable> {
    @Override
    public Executable get() {
      List<KernelSpec> kernels = manifest.kernels();
      KernelModule module = device.backend().load(source, variant, kernels);
      return new EngineExecutable(
          device, manifest.name(), variant.format(), refusals, kernels, module);
    }
  }

  /** See {@code EngineDevice.warmUpLoading}. */
  public static void warmUp() {
    EarlyClasses.initialize(ExecutableLoader.class, EngineExecutable.class, EngineKernel.class);
  }

  /** Loads the first variant that the driver takes. */
  public Executable load(ExecutableSource source) {
    Manifest manifest = Manifest.read(source);
    List<List<Variant>> found = new ArrayList<>(); // all: reports any malformed one
    for (ExecutableSource overlay : source.overlays()) {
      found.add(manifest.overlay(overlay));
    }
    List<String> refusals = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      ExecutableSource overlay = source.overlays().get(i);
      if (found.get(i).isEmpty()) {
        refusals.add(overlay.name() + ": it is not for the bundle '" + manifest.name() + "'");
        continue;
      }
      Executable loaded = load(overlay, found.get(i), manifest, refusals);
      if (loaded != null) {
        return loaded;
      }
      refusals.add(overlay.name() + ": " + device.name() + " loads none of its variants");
    }
    Executable loaded = load(source, manifest.variants(), manifest, refusals);
    if (loaded != null) {
      return loaded;
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "%s can load no variant of bundle %s: %s"
            .formatted(device.name(), source.name(), String.join("; ", refusals)));
  }

  /** Loads the first loadable variant, or returns null and adds the reasons to {@code refusals}. */
  private @Nullable Executable load(
      ExecutableSource source, List<Variant> variants, Manifest manifest, List<String> refusals) {
    for (Variant variant : variants) {
      if (!backend.executableFormats().contains(variant.format())) {
        refusals.add(
            variant.format() + ": " + device.name() + " loads " + backend.executableFormats());
        continue;
      }
      checkWorkgroups(manifest);
      try {
        return calls.call(new Loading(device, source, variant, manifest, refusals));
      } catch (HalException e) {
        if (e.status() != Status.UNIMPLEMENTED) {
          throw e;
        }
        refusals.add(variant.format() + ": " + e.getMessage());
      }
    }
    return null;
  }

  /** Refuses kernels whose workgroups exceed the device's limits. */
  private void checkWorkgroups(Manifest manifest) {
    DeviceInfo info = device.info();
    Workgroups most = info.maxWorkgroupSize();
    for (KernelSpec kernel : manifest.kernels()) {
      Workgroups size = kernel.workgroupSize();
      long items = (long) size.x() * size.y() * size.z(); // KernelSpec: fits into an int
      String needs = "kernel '" + kernel.name() + "' of " + manifest.name() + " has ";
      String takes = "; " + device.name() + " takes at most ";
      if (size.x() > most.x()
          || size.y() > most.y()
          || size.z() > most.z()
          || items > info.maxWorkgroupItems()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            needs
                + ("workgroups of " + size + ", " + items + " work items" + takes + most)
                + (", and " + info.maxWorkgroupItems() + " work items"));
      }
      if (kernel.dynamicSharedMemory() > info.maxSharedMemory()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            needs
                + (kernel.dynamicSharedMemory() + " bytes of shared memory" + takes)
                + info.maxSharedMemory());
      }
    }
  }
}
