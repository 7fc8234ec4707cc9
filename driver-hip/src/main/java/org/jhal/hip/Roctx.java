// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import com.sun.jna.Library;
import java.util.List;
import org.jhal.Status;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;

/** Ranges of rocTX, which ROCm's profilers show. */
record Roctx(Calls calls) implements RangeMarks {
  private static final WantedLibrary WANTED =
      new WantedLibrary("rocTX, which marks ranges,", "ROCm", "jhal.hip.roctx", Status.UNAVAILABLE);

  private static final List<String> NAMES =
      List.of("librocprofiler-sdk-roctx.so.1", "libroctx64.so.4", "libroctx64.so");

  /** The C functions, without their prefix. */
  interface Calls extends Library {
    long rangeStartA(String message);

    void rangeStop(long range);
  }

  /** See {@link org.jhal.gpu.GpuDriver#rangeMarks}. */
  static RangeMarks load() {
    SharedLibrary library = WANTED.find(NAMES, "roctxRangeStartA");
    return new Roctx(WANTED.map(library, Calls.class, "roctx", "ROCm 5.2"));
  }

  @Override
  public long start(String name) {
    return calls.rangeStartA("jhal: " + name);
  }

  @Override
  public void end(long range) {
    calls.rangeStop(range);
  }
}
