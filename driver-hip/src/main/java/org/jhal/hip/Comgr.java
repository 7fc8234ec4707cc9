// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import com.sun.jna.Library;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether HIPRTC supports an architecture. HIPRTC itself ends the process when it compiles
 * for an unknown architecture or feature (seen with ROCm 5.2.3). So this class asks the code object
 * manager, which HIPRTC is built on.
 *
 * <p>A substitute for HIPRTC must also export the functions of {@link Api}.
 *
 * @param file the file that it was loaded from; null if unknown
 */
record Comgr(Api api, @Nullable Path file) {
  private static final String TARGET = "amdgcn-amd-amdhsa--"; // the prefix of architecture names
  private static final String SYMBOL = "amd_comgr_get_isa_metadata";

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "libamd_comgr, which lists the targets of HIPRTC,",
          "ROCm",
          "jhal.hip.comgr",
          Status.UNIMPLEMENTED);

  /** Its functions. Each returns an {@code amd_comgr_status_t}, 0 for success. */
  interface Api extends Library {
    int amd_comgr_get_isa_count(LongByReference count);

    int amd_comgr_get_isa_name(long index, PointerByReference isa_name);

    /** Fails for an unknown architecture, or one without a named feature. */
    int amd_comgr_get_isa_metadata(String isa_name, LongByReference metadata);

    int amd_comgr_destroy_metadata(long metadata);
  }

  /**
   * The code object manager of a compiler, which is linked with it or loads it on first use.
   *
   * @throws HalException UNIMPLEMENTED if there is none; the message has the searched places
   */
  static Comgr of(SharedLibrary compiler, int major) {
    List<String> others = candidates(compiler.library().getFile(), major);
    SharedLibrary library = WANTED.find(compiler.linked(SYMBOL, others), SYMBOL);
    WANTED.require(library, SharedLibrary.functions(Api.class), "that of ROCm 5.2");
    return new Comgr(library.map(Api.class), library.file(SYMBOL));
  }

  private static List<String> candidates(@Nullable File compiler, int major) {
    List<String> names = new ArrayList<>();
    for (int version : major >= 7 ? new int[] {3, 2} : new int[] {2, 3}) {
      names.addAll(SharedLibrary.beside(compiler, "libamd_comgr.so", version));
    }
    return names;
  }

  /**
   * The file of the code object manager of an unloaded compiler; null if none is found, as when the
   * compiler contains it.
   */
  static @Nullable Path locate(Path compiler, int major) {
    return WANTED.locate(candidates(compiler.toFile(), major));
  }

  /**
   * Checks that HIPRTC can compile for an architecture.
   *
   * @param what the source to compile, for people
   * @throws HalException UNIMPLEMENTED if it cannot
   */
  void check(String architecture, String what) {
    LongByReference metadata = new LongByReference();
    if (api.amd_comgr_get_isa_metadata(TARGET + architecture, metadata) != 0) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "cannot compile %s: this HIPRTC makes no code for %s, only for %s"
              .formatted(what, architecture, String.join(", ", known())));
    }
    api.amd_comgr_destroy_metadata(metadata.getValue());
  }

  private List<String> known() {
    List<String> names = new ArrayList<>();
    LongByReference count = new LongByReference();
    PointerByReference name = new PointerByReference();
    int code = api.amd_comgr_get_isa_count(count);
    for (long i = 0; code == 0 && i < count.getValue(); i++) {
      code = api.amd_comgr_get_isa_name(i, name);
      if (code == 0) {
        String full = name.getValue().getString(0);
        names.add(full.substring(full.lastIndexOf("--") + 2));
      }
    }
    return names;
  }
}
