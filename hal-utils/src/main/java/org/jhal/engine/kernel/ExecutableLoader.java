// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.KernelModule;
import org.jhal.engine.base.BackendCalls;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.journal.Journal;
import org.jhal.kernels.bundle.ArgumentLayout;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Manifest;
import org.jhal.kernels.bundle.Variant;
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

  /** A variant, and the bundle or overlay that it is of. */
  private record Candidate(ExecutableSource source, Variant variant) {}

  /** Loads the first variant that the driver takes. */
  public Executable load(ExecutableSource source) {
    Manifest manifest = Manifest.read(source);
    List<Candidate> candidates = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    for (ExecutableSource overlay : source.overlays()) { // all: reports any malformed one
      List<Variant> found = manifest.overlay(overlay);
      if (found.isEmpty()) {
        refusals.add(overlay.name() + ": it is not for the bundle '" + manifest.name() + "'");
      }
      found.forEach(variant -> candidates.add(new Candidate(overlay, variant)));
    }
    manifest.variants().forEach(variant -> candidates.add(new Candidate(source, variant)));
    candidates.sort(Comparator.comparingInt(this::rank)); // keeps the order of equal ranks
    while (!candidates.isEmpty()) {
      Candidate next = candidates.remove(0);
      ExecutableSource from = next.source;
      Executable loaded = load(next, source, manifest, refusals);
      if (loaded != null) {
        return loaded;
      }
      if (from.isOverlay() && candidates.stream().noneMatch(other -> other.source == from)) {
        refusals.add(from.name() + ": " + device.name() + " loads none of its variants");
      }
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "%s can load no variant of bundle %s: %s"
            .formatted(device.name(), source.name(), String.join("; ", refusals)));
  }

  /** Variants that the device does not load come first, so that the refusals have them all. */
  private int rank(Candidate candidate) {
    Variant variant = candidate.variant;
    return backend.executableFormats().contains(variant.format())
        ? backend.rank(variant)
        : Integer.MIN_VALUE;
  }

  /** Loads a variant, or returns null and adds the reason to {@code refusals}. */
  private @Nullable Executable load(
      Candidate candidate, ExecutableSource bundle, Manifest manifest, List<String> refusals) {
    Variant variant = candidate.variant;
    String reason = backend.refusal(variant.format());
    if (backend.executableFormats().contains(variant.format())) {
      checkLimits(manifest);
      try {
        return calls.call(() -> make(candidate, bundle, manifest, refusals));
      } catch (HalException e) {
        if (e.status() != Status.UNIMPLEMENTED) {
          throw e;
        }
        reason = e.getMessage();
      }
    }
    refusals.add(variant.format() + ": " + reason);
    return null;
  }

  private Executable make(
      Candidate candidate, ExecutableSource bundle, Manifest manifest, List<String> refusals) {
    List<KernelSpec> kernels = manifest.kernels();
    Variant variant = candidate.variant;
    List<Global> globals = manifest.globals();
    KernelModule module = backend.load(candidate.source, variant, kernels, globals);
    Journal journal = device.journal();
    if (journal != null) {
      journal.loaded(module, bundle);
    }
    return new EngineExecutable(
        device, manifest.name(), variant.format(), refusals, kernels, globals, module);
  }

  /** Refuses kernels that the device cannot run, or that exceed its limits. */
  private void checkLimits(Manifest manifest) {
    DeviceInfo info = device.info();
    Workgroups most = info.maxWorkgroupSize();
    boolean isCooperative = backend.capabilities().contains(Capability.COOPERATIVE_DISPATCH);
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
      if (kernel.isCooperative() && !isCooperative) {
        throw new HalException(
            Status.UNIMPLEMENTED,
            "kernel '%s' of %s is cooperative, and %s %s"
                .formatted(kernel.name(), manifest.name(), device.name(), backend.noCooperation()));
      }
      if (kernel.dynamicSharedMemory() > info.maxSharedMemory()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            needs
                + (kernel.dynamicSharedMemory() + " bytes of shared memory" + takes)
                + info.maxSharedMemory());
      }
      int arguments = ArgumentLayout.of(kernel.parameters()).size();
      if (arguments > info.maxArgumentBytes()) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            needs + (arguments + " bytes of arguments" + takes) + info.maxArgumentBytes());
      }
    }
  }
}
