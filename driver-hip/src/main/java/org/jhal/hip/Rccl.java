package org.jhal.hip;

import java.util.List;
import org.jhal.Status;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.natives.WantedLibrary;

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

  /** Where it is looked for. */
  static WantedCollectives wanted() {
    return new WantedCollectives("RCCL", WANTED, NAMES);
  }
}
