// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What GCC is told of the vectors of a processor. */
class VectorFlagsTest {
  private static final Set<String> HASWELL = Set.of("avx2", "fma");
  private static final Set<String> SKYLAKE = Set.of("avx2", "avx512f", "avx512vl");
  private static final Set<String> ICE_LAKE = Set.of("avx2", "avx512f", "avx512vl", "avx512_vbmi2");
  private static final Set<String> SAPPHIRE_RAPIDS =
      Set.of("avx2", "avx512f", "avx512vl", "avx512_vbmi2", "avx512_fp16");

  @Test
  void longVectorsAreForProcessorsThatKeepTheirClock() {
    assertEquals(List.of(), HostCompiler.vectorFlags(HASWELL, false));
    assertEquals(List.of(), HostCompiler.vectorFlags(SKYLAKE, false));
    assertEquals(List.of("-mprefer-vector-width=512"), HostCompiler.vectorFlags(ICE_LAKE, false));
  }

  @Test
  void scatteredLoadsAreForProcessorsThatAreFastAtThem() {
    assertEquals(
        List.of("-mprefer-vector-width=512", "-mtune-ctrl=use_gather"),
        HostCompiler.vectorFlags(SAPPHIRE_RAPIDS, false));
  }

  /** Without them, GCC makes no vectors of what is computed in branches. */
  @Test
  void masksAreThoseOfAvx512() {
    assertEquals(List.of(), HostCompiler.vectorFlags(HASWELL, true));
    assertEquals(List.of("-ftrapping-math"), HostCompiler.vectorFlags(SKYLAKE, true));
    assertEquals(
        List.of("-mprefer-vector-width=512", "-ftrapping-math"),
        HostCompiler.vectorFlags(ICE_LAKE, true));
  }
}
