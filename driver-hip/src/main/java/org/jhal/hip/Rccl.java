package org.jhal.hip;

import java.util.List;
import org.jhal.Status;
import org.jhal.gpu.CollectiveLibrary;
import org.jhal.gpu.WantedLibrary;

/** RCCL, which carries out collectives between AMD's GPUs. */
final class Rccl {
  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "RCCL, which carries out collectives,",
          "ROCm",
          "jhal.hip.rccl",
          "JHAL_HIP_RCCL",
          Status.UNIMPLEMENTED);

  private static final List<String> NAMES =
      List.of("librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1");

  private Rccl() {}

  /**
   * Loads the library.
   *
   * @throws org.jhal.HalException UNIMPLEMENTED with the reason if there is none
   */
  static CollectiveLibrary load() {
    return CollectiveLibrary.load("RCCL", WANTED, NAMES);
  }
}
