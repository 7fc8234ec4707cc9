package org.jhal.cuda;

import java.util.List;
import org.jhal.Status;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.natives.WantedLibrary;

/** NCCL, which carries out collectives between NVIDIA's GPUs. */
final class Nccl {
  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "NCCL, which carries out collectives,",
          "NVIDIA's packages for it (libnccl2), or PyTorch",
          "jhal.cuda.nccl",
          "JHAL_CUDA_NCCL",
          Status.UNIMPLEMENTED);

  private static final List<String> NAMES = List.of("libnccl.so.2", "libnccl.so");

  private Nccl() {}

  /** Where it is looked for. */
  static WantedCollectives wanted() {
    return new WantedCollectives("NCCL", WANTED, NAMES);
  }
}
