// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.Status;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;

/** Ranges in the domain {@code jhal} of NVTX, which Nsight Systems shows. */
record Nvtx(Calls calls, Pointer domain) implements RangeMarks {
  private static final String DOMAIN = "jhal";

  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "NVTX, which marks ranges,",
          "Nsight Systems, or the CUDA toolkit before version 13",
          "jhal.cuda.nvtx",
          Status.UNAVAILABLE);

  private static final List<String> NAMES =
      List.of("libnvtx3interop.so", "libnvToolsExt.so.1", "nvtx3interop.dll", "nvToolsExt64_1.dll");

  // The structure nvtxEventAttributes_t of version 2.
  private static final int VERSION = 2;
  private static final int BYTES = 48;
  private static final int SIZE_OFFSET = 2;
  private static final int MESSAGE_TYPE_OFFSET = 32;
  private static final int MESSAGE_OFFSET = 40;
  private static final int MESSAGE_TYPE_ASCII = 1;

  /** The C functions, without their prefix. */
  interface Calls extends Library {
    Pointer domainCreateA(String name);

    long domainRangeStartEx(Pointer domain, Pointer attributes);

    void domainRangeEnd(Pointer domain, long range);
  }

  /** By file of the library, since domains exist until the process ends. */
  private static final Map<String, Nvtx> LOADED = new ConcurrentHashMap<>();

  /** See {@link org.jhal.gpu.GpuDriver#rangeMarks}. */
  static RangeMarks load() {
    SharedLibrary library = WANTED.find(NAMES, "nvtxDomainRangeStartEx");
    Calls calls = WANTED.map(library, Calls.class, "nvtx", "NVTX 2");
    return LOADED.computeIfAbsent(
        library.path(), file -> new Nvtx(calls, calls.domainCreateA(DOMAIN)));
  }

  @Override
  public long start(String name) {
    byte[] text = name.getBytes(StandardCharsets.US_ASCII);
    try (Memory attributes = new Memory(BYTES + text.length + 1L)) {
      attributes.clear();
      attributes.setShort(0, (short) VERSION);
      attributes.setShort(SIZE_OFFSET, (short) BYTES);
      attributes.setInt(MESSAGE_TYPE_OFFSET, MESSAGE_TYPE_ASCII);
      attributes.write(BYTES, text, 0, text.length);
      attributes.setPointer(MESSAGE_OFFSET, attributes.share(BYTES));
      return calls.domainRangeStartEx(domain, attributes);
    }
  }

  @Override
  public void end(long range) {
    calls.domainRangeEnd(domain, range);
  }
}
