// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;
import static org.jhal.hip.jna.HipConstants.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.util.List;
import java.util.Map;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.hip.sim.HipShim;
import org.jhal.hip.sim.StandIn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The translation between HIP and CUDA in the shim, in addition to {@link HipFaceTest}. */
class ShimTest extends OnSimulatedHip {
  @BeforeEach
  void onTheShim() {
    assumeTrue(
        STAND_IN == StandIn.SHIM,
        "these tests are about the shim: -Djhal.hip.test.on=SHIM has it stand in for the HIP runtime");
  }

  @Test
  void returnsResultCodesOfHip() {
    // CUDA's code to HIP's; 911 and 912 mean something else in HIP.
    Map<Integer, Integer> expected =
        Map.ofEntries(
            Map.entry(1, 1),
            Map.entry(2, 2),
            Map.entry(46, 100),
            Map.entry(209, 209),
            Map.entry(220, 214),
            Map.entry(222, 209),
            Map.entry(600, 600),
            Map.entry(700, 700),
            Map.entry(715, 719),
            Map.entry(718, 719),
            Map.entry(719, 719),
            Map.entry(800, 801),
            Map.entry(911, 999),
            Map.entry(912, 999),
            Map.entry(999, 999));
    long event = event();
    expected.forEach(
        (cuda, hip) -> {
          simulator.fail("cuEventQuery", 1, cuda);
          assertEquals(hip, API.eventQuery(event), () -> "for CUDA's " + cuda);
        });
  }

  /** HIP's number of an attribute and CUDA's number of the same. */
  @Test
  void translatesTheNumbersOfAttributes() {
    Map<Integer, Integer> numbers =
        Map.ofEntries(
            Map.entry(hipDeviceAttributeMaxBlockDimX, 2),
            Map.entry(hipDeviceAttributeMaxBlockDimX + 1, 3),
            Map.entry(hipDeviceAttributeMaxBlockDimX + 2, 4),
            Map.entry(hipDeviceAttributeMaxGridDimX, 5),
            Map.entry(hipDeviceAttributeMaxGridDimX + 1, 6),
            Map.entry(hipDeviceAttributeMaxGridDimX + 2, 7),
            Map.entry(hipDeviceAttributeMaxThreadsPerBlock, 1),
            Map.entry(hipDeviceAttributeMultiprocessorCount, 16),
            Map.entry(hipDeviceAttributePciBusId, 33),
            Map.entry(hipDeviceAttributePciDeviceId, 34),
            Map.entry(hipDeviceAttributePciDomainID, 50),
            Map.entry(hipDeviceAttributeMaxSharedMemoryPerBlock, 97), // the limit with opt-in
            Map.entry(hipDeviceAttributeWarpSize, 10),
            Map.entry(hipDeviceAttributeMemoryPoolsSupported, 115));
    Function cuda =
        NativeLibrary.getInstance(HipShim.driver().path().toString())
            .getFunction("cuDeviceGetAttribute");
    int[] asked = new int[1];
    int[] answer = new int[1];
    numbers.forEach(
        (hip, number) -> {
          ok(cuda.invokeInt(new Object[] {answer, number, 1}));
          ok(API.setup().deviceGetAttribute(asked, hip, 1));
          assertEquals(answer[0], asked[0], () -> "attribute " + hip);
        });
    assertEquals(hipErrorInvalidValue, API.setup().deviceGetAttribute(asked, 9999, 0));
  }

  @Test
  void omitsFlagsThatCudaDoesNotKnow() {
    int releaseToSystem = 0x40000000;
    long[] out = new long[1];
    ok(API.setup().eventCreateWithFlags(out, GpuApi.EVENT_DISABLE_TIMING | releaseToSystem));
    ok(API.setup().eventDestroy(out[0]));
    int coherent = 0x40000000;
    ok(API.setup().hostMalloc(out, 100, GpuApi.HOST_ALLOC_MAPPED | coherent));
    ok(API.setup().hostFree(out[0]));
  }

  @Test
  void reportsAVersionWhoseGraphsAreUsed() {
    int[] version = new int[1];
    ok(API.setup().runtimeGetVersion(version));
    assertEquals(70_000_000, version[0]);
  }

  @Test
  void makesTheContextOfTheThreadsDeviceCurrentInEachCall() {
    Function setCurrent =
        NativeLibrary.getInstance(HipShim.driver().path().toString())
            .getFunction("cuCtxSetCurrent");
    long memory = memory(64);
    ok(setCurrent.invokeInt(new Object[] {0L})); // as another user of CUDA might
    ok(API.setup().free(memory));
    assertEquals(List.of(), simulator.misuses());
  }
}
