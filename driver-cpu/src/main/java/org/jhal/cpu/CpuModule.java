// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.sun.jna.Native;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.cpu.translate.Translation;
import org.jhal.driver.KernelModule;
import org.jhal.kernels.bundle.GlobalSize;
import org.jhal.kernels.bundle.KernelArgument;
import org.jhal.kernels.bundle.KernelSpec;
import org.jspecify.annotations.Nullable;

/** A library of compiled kernels. */
final class CpuModule implements KernelModule {
  private static final String MANGLED = "\n" + Translation.MANGLED;

  /** Of all workgroups of a cooperative dispatch; a workgroup has 1024 at most. */
  private static final int MOST_ITEMS = 16 << 10;

  private final long library;
  private final int[] residents; // workgroups, by kernel
  private final long[] functions; // by kernel
  private final String[] notes; // by kernel
  private final String[] labels; // by kernel
  private final List<String> mangled = new ArrayList<>();
  private long[] globals = {}; // addresses, by index; set before it is used
  private long[] globalBytes = {}; // likewise
  private @Nullable CheckedCode code; // if its kernels are checked

  private CpuModule(long library, int kernels) {
    this.library = library;
    this.functions = new long[kernels];
    this.residents = new int[kernels];
    this.notes = new String[kernels];
    this.labels = new String[kernels];
  }

  /**
   * Loads a library.
   *
   * @param indexes of the kernels in the library
   * @param kernels as the manifest has them
   * @param refusal the status if the system's loader refuses the library
   */
  static CpuModule load(
      byte[] code, int[] indexes, List<KernelSpec> kernels, String what, Status refusal) {
    byte[] reason = new byte[1024];
    int[] isRefused = new int[1];
    long library = HalRuntime.hal_library_open(code, code.length, reason, reason.length, isRefused);
    if (library == 0) {
      throw new HalException(
          isRefused[0] != 0 ? refusal : Status.RESOURCE_EXHAUSTED,
          "cannot load " + what + ": " + Native.toString(reason, "UTF-8"));
    }
    CpuModule module = new CpuModule(library, kernels.size());
    boolean isDone = false;
    try {
      for (int i = 0; i < kernels.size(); i++) {
        long kernel = HalRuntime.hal_library_kernel(library, indexes[i]);
        if (kernel == 0) {
          throw new HalException(
              Status.NOT_FOUND, what + " has no kernel " + kernels.get(i).name());
        }
        check(kernel, kernels.get(i), what);
        String note = HalRuntime.hal_kernel_note(kernel);
        boolean isMangled = note.endsWith(MANGLED);
        module.notes[i] = isMangled ? note.substring(0, note.length() - MANGLED.length()) : note;
        if (isMangled) {
          module.mangled.add("'" + kernels.get(i).name() + "'");
        }
        module.labels[i] = "kernel " + kernels.get(i).name();
        module.functions[i] = HalRuntime.hal_function_make(kernel);
        if (module.functions[i] == 0) {
          throw new HalException(
              Status.RESOURCE_EXHAUSTED,
              "no memory for kernel '" + kernels.get(i).name() + "' in " + what);
        }
        if (kernels.get(i).isCooperative()) {
          HalRuntime.hal_function_cooperate(module.functions[i]);
        }
        module.residents[i] = residents(kernels.get(i).workgroupSize());
      }
      isDone = true;
      return module;
    } finally {
      if (!isDone) {
        module.unload();
      }
    }
  }

  /** Bounds the stacks that the items of all workgroups may have, too. */
  private static int residents(Workgroups size) {
    int items = size.x() * size.y() * size.z();
    return Math.min(HalRuntime.RESIDENT, MOST_ITEMS / items);
  }

  @Override
  public long residentWorkgroups(int index) {
    return residents[index];
  }

  private static void check(long kernel, KernelSpec spec, String what) {
    List<KernelArgument> taken = new ArrayList<>();
    int end = 0;
    for (int i = 0; i < HalRuntime.hal_kernel_count(kernel); i++) {
      int alignment = HalRuntime.hal_kernel_align(kernel, i);
      int size = HalRuntime.hal_kernel_size(kernel, i);
      int offset = (end + alignment - 1) / alignment * alignment;
      boolean isPointer = HalRuntime.hal_kernel_is_pointer(kernel, i) != 0;
      taken.add(new KernelArgument(offset, size, isPointer));
      end = offset + size;
    }
    KernelArgument.check(taken, spec, "kernel '" + spec.name() + "' in " + what);
  }

  /**
   * Finds the variables that the host may access.
   *
   * @param indexes in the library
   */
  void findGlobals(int[] indexes, List<Global> wanted, String what) {
    globals = new long[indexes.length];
    globalBytes = new long[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      long[] size = new long[1];
      globals[i] = HalRuntime.hal_library_global(library, indexes[i], size);
      if (globals[i] == 0) {
        throw new HalException(Status.NOT_FOUND, GlobalSize.absence(wanted.get(i), what));
      }
      GlobalSize.check(wanted.get(i), size[0], what);
      globalBytes[i] = size[0];
    }
  }

  /** Where a variable lies. */
  long global(int index) {
    return globals[index];
  }

  long globalBytes(int index) {
    return globalBytes[index];
  }

  /** Lets the dispatches of its kernels, which were compiled for that, be checked. */
  void check(CpuCheck check, CheckedCode checked) {
    code = checked;
    for (long function : functions) {
      HalRuntime.hal_function_check(function, check.address());
    }
  }

  /** The code of its kernels if they are checked; otherwise null. */
  @Nullable CheckedCode code() {
    return code;
  }

  /** What is launched for a kernel. */
  long function(int index) {
    return functions[index];
  }

  /** The kernels, as a message lists them, that GPUs do not find by their names. */
  List<String> mangled() {
    return mangled;
  }

  /** What a message calls a kernel. */
  String label(int index) {
    return labels[index];
  }

  @Override
  public String note(int index) {
    return notes[index];
  }

  @Override
  public void unload() {
    for (long function : functions) {
      HalRuntime.hal_function_free(function); // 0 is allowed
    }
    HalRuntime.hal_library_close(library);
  }
}
