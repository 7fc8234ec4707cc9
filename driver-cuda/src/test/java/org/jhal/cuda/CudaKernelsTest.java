// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.simulator.tests.StoreKernels;
import org.junit.jupiter.api.Test;

/** Code that cannot be loaded, and the reports of the driver API about it. */
class CudaKernelsTest extends StoreKernels {
  @Test
  void refusesBrokenCodeWithTheLogOfTheLinker() throws IOException {
    Files.writeString(folder.resolve("broken.ptx"), ".version 7.5\nthis is none\n");
    ExecutableSource source =
        bundle("store", PARAMETERS, "[1]", "", variant("cuda-ptx", "broken.ptx"));
    HalException failure = refused(source, "broken.ptx", "sm_90", "cuModuleLoadDataEx returned");
    assertTrue(failure.getMessage().contains(":\n"), failure::getMessage);
  }

  /** The driver has one code for wrong PTX and for correct PTX that is for other devices. */
  @Test
  void skipsPtxForNewerDevicesAndReportsIt() throws IOException {
    String source = variant("gpu-c++", "store.cpp");
    for (String target : List.of("sm_100", "sm_90000", "sm_80a", "sm_80f, debug")) {
      Files.writeString(
          folder.resolve("new.ptx"), ".version 8.6\n.target " + target + "\n.address_size 64\n");
      String ptx = variant("cuda-ptx", "new.ptx");
      assertRuns(device.loadExecutable(bundle("store", PARAMETERS, "[1]", "", ptx + "," + source)));
      HalException alone =
          refused(
              bundle("store", PARAMETERS, "[1]", "", ptx),
              "new.ptx",
              "for sm_90, as it is for " + target.replace(", debug", ""),
              "returned 218",
              ":\n");
      assertEquals(Status.UNIMPLEMENTED, alone.status());
    }
    for (String target : List.of("sm_75", "sm_90", "sm_90a", "sm_90f")) {
      Files.writeString(folder.resolve("wrong.ptx"), ".version 8.6\n.target " + target + "\nx\n");
      String ptx = variant("cuda-ptx", "wrong.ptx");
      HalException wrong =
          refused(bundle("store", PARAMETERS, "[1]", "", ptx + "," + source), "returned 218");
      assertEquals(
          Status.INVALID_ARGUMENT, wrong.status(), "an error was taken for a wrong target");
      assertEquals(new NativeCode(218, "CUDA_ERROR_INVALID_PTX"), wrong.nativeCode());
    }
  }

  @Test
  void skipsCodeForOtherDevicesAndReportsIt() throws IOException {
    byte[] elf = new byte[64];
    elf[0] = 0x7F;
    elf[1] = 'E';
    elf[2] = 'L';
    elf[3] = 'F';
    elf[4] = 2;
    elf[18] = (byte) 0xE0; // EM_AMDGPU
    Files.write(folder.resolve("other.cubin"), elf);
    String other = variant("cuda-cubin", "other.cubin");
    String foreign = variant("hip-hsaco", "other.hsaco");
    assertRuns(
        device.loadExecutable(
            bundle(
                "store",
                PARAMETERS,
                "[1]",
                "",
                foreign + "," + other + "," + variant("gpu-c++", "store.cpp"))));
    refused(
        bundle("store", PARAMETERS, "[1]", "", foreign + "," + other), "hip-hsaco", "other.cubin");
  }

  @Test
  void refusesParametersThatDifferFromTheKernels() throws IOException {
    refused(
        store(PARAMETERS.substring(0, PARAMETERS.indexOf("},") + 1), "[1]", ""),
        "takes 2 arguments",
        "they are 1, [");
    refused(
        store(
            PARAMETERS + ",{\"name\": \"third\", \"kind\": \"constant\", \"type\": \"u32\"}",
            "[1]",
            ""),
        "takes 2 arguments",
        "they are 3, [");
    refused(
        store(
            PARAMETERS.replace(
                "\"constant\", \"type\": \"u32\"", "\"constant\", \"type\": \"u64\""),
            "[1]",
            ""),
        "[a pointer at 0, 4 at 8]",
        "[a pointer at 0, 8 at 8]");
  }
}
