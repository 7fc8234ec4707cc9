// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jhal.driver.KernelModule;
import org.jhal.driver.LoadedKernel;
import org.jspecify.annotations.Nullable;

/**
 * A native module and its kernels, in the order of the manifest, with what streams keep for them.
 */
final class GpuModule implements KernelModule {
  private final KernelLoader loader;
  private long module; // 0 when it is unloaded
  private final long[] kernels;
  private final long[] residents; // workgroups, by kernel; 0 of those that are not cooperative
  private final List<KernelLoader.Variable> variables; // in the order of the manifest
  private final Consumer<Runnable> frees;

  /** By kernel, and within a row by stream. Rows are replaced, never changed. */
  private final AtomicReferenceArray<@Nullable KernelAttachment[]> attachments;

  /**
   * A module.
   *
   * @param residents how many workgroups of each cooperative kernel the device holds
   * @param frees soon makes calls that may wait until the device is idle
   */
  GpuModule(
      KernelLoader loader,
      long module,
      long[] kernels,
      long[] residents,
      List<KernelLoader.Variable> variables,
      Consumer<Runnable> frees) {
    this.loader = loader;
    this.module = module;
    this.kernels = kernels;
    this.residents = residents;
    this.variables = variables;
    this.frees = frees;
    this.attachments = new AtomicReferenceArray<>(kernels.length);
    @Nullable KernelAttachment[] none = {};
    for (int i = 0; i < kernels.length; i++) {
      attachments.set(i, none);
    }
  }

  /** The native kernel of a loaded one. */
  static long kernel(LoadedKernel kernel) {
    return ((GpuModule) kernel.module()).kernels[kernel.index()];
  }

  KernelLoader.Variable variable(int index) {
    return variables.get(index);
  }

  /** What a stream has attached to a kernel, or null. */
  static @Nullable KernelAttachment attachment(LoadedKernel kernel, int stream) {
    GpuModule owner = (GpuModule) kernel.module();
    @Nullable KernelAttachment[] row = owner.attachments.get(kernel.index());
    return stream < row.length ? row[stream] : null;
  }

  /** Attaches something for a stream, for work in progress that uses the kernel. */
  static void attach(LoadedKernel kernel, int stream, KernelAttachment made) {
    GpuModule owner = (GpuModule) kernel.module();
    owner.attachments.updateAndGet( // several streams may attach at once
        kernel.index(),
        row -> {
          @Nullable KernelAttachment[] more = Arrays.copyOf(row, Math.max(row.length, stream + 1));
          more[stream] = made;
          return more;
        });
  }

  @Override
  public long maxWorkItems() {
    return loader.maxWorkItems();
  }

  @Override
  public long residentWorkgroups(int index) {
    return residents[index];
  }

  @Override
  public void unload() {
    for (int i = 0; i < attachments.length(); i++) {
      for (KernelAttachment attachment : attachments.get(i)) {
        if (attachment != null) {
          attachment.end();
        }
      }
    }
    long ended = module;
    frees.accept(() -> loader.unload(ended));
    module = 0; // behind the call, which can be repeated if it throws
  }
}
