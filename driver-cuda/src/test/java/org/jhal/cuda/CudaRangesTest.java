// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.simulator.tests.GpuRangesTest;

/** Ranges of NVTX. */
class CudaRangesTest extends GpuRangesTest {
  /** The structure as nvToolsExt.h declares it. */
  private static final String SOURCE =
      """
      struct attributes {
        uint16_t version, size;
        uint32_t category;
        int32_t colorType;
        uint32_t color;
        int32_t payloadType, reserved0;
        union { uint64_t value; double number; } payload;
        int32_t messageType;
        union { const char* ascii; const void* other; } message;
      };
      static const char* domain; // one for all devices
      void* nvtxDomainCreateA(const char* name) {
        domain = domain || strcmp(name, "jhal") ? "wrong" : "jhal";
        return &domain;
      }
      uint64_t nvtxDomainRangeStartEx(void* of, const struct attributes* a) {
        if (of != &domain || strcmp(domain, "jhal") || a->version != 2 || a->size != sizeof *a || a->messageType != 1)
          return begin("wrong");
        return begin(a->message.ascii);
      }
      void nvtxDomainRangeEnd(void* of, uint64_t range) {
        if (of == &domain) over(range);
      }
      """;

  CudaRangesTest() {
    super(CudaOnSimulator.GPU, "jhal.cuda.nvtx", SOURCE, "");
  }
}
