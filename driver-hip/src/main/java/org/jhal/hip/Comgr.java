package org.jhal.hip;

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
import org.jhal.hip.jna.ComgrApi;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether HIPRTC supports an architecture. HIPRTC itself ends the process when it compiles
 * for an unknown architecture or feature (seen with ROCm 5.2.3). So this class asks the code object
 * manager, which HIPRTC is built on.
 *
 * <p>A substitute for HIPRTC must also export the functions of {@link ComgrApi}.
 */
final class Comgr {
  private static final String TARGET = "amdgcn-amd-amdhsa--"; // the prefix of architecture names
  private static final String SYMBOL = "amd_comgr_get_isa_metadata";

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "libamd_comgr, which lists the targets of HIPRTC,",
          "ROCm",
          "jhal.hip.comgr",
          Status.UNIMPLEMENTED);

  private final ComgrApi api;
  private final @Nullable Path file;

  private Comgr(SharedLibrary library) {
    this.api = library.map(ComgrApi.class);
    this.file = library.file(SYMBOL);
  }

  /** The file that it was loaded from; null if unknown. */
  @Nullable Path file() {
    return file;
  }

  /**
   * The code object manager of a compiler, which is linked with it or loads it on first use.
   *
   * @throws HalException UNIMPLEMENTED if there is none; the message has the searched places
   */
  static Comgr of(SharedLibrary compiler, int major) {
    List<String> candidates = candidates(compiler.library().getFile(), major);
    if (compiler.has(SYMBOL)) {
      Path linked = compiler.file(SYMBOL); // unknown if the mapped file was replaced, for example
      candidates = List.of(linked == null ? compiler.path() : linked.toString());
    }
    SharedLibrary library = WANTED.find(candidates, SYMBOL);
    WANTED.require(library, SharedLibrary.functions(ComgrApi.class), "that of ROCm 5.2");
    return new Comgr(library);
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
    int ignored = api.amd_comgr_destroy_metadata(metadata.getValue());
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
