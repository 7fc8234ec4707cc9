package org.jhal.hip;

import com.sun.jna.Library;
import java.util.List;
import org.jhal.Status;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;

/** Ranges of rocTX, which ROCm's profilers show. */
final class Roctx implements RangeMarks {
  private static final WantedLibrary WANTED =
      new WantedLibrary(
          "rocTX, which marks ranges,",
          "ROCm",
          "jhal.hip.roctx",
          "JHAL_HIP_ROCTX",
          Status.UNAVAILABLE);

  private static final List<String> NAMES =
      List.of("librocprofiler-sdk-roctx.so.1", "libroctx64.so.4", "libroctx64.so");

  /** The functions; their names are those in C. */
  interface Calls extends Library {
    long roctxRangeStartA(String message);

    void roctxRangeStop(long range);
  }

  private final Calls calls;

  private Roctx(Calls calls) {
    this.calls = calls;
  }

  /**
   * Loads the library.
   *
   * @throws org.jhal.HalException UNAVAILABLE with the reason if there is none
   */
  static RangeMarks load() {
    SharedLibrary library = WANTED.find(NAMES, "roctxRangeStartA");
    WANTED.require(library, SharedLibrary.functions(Calls.class), "ROCm 5.2");
    return new Roctx(library.map(Calls.class));
  }

  @Override
  public long start(String name) {
    return calls.roctxRangeStartA("jhal: " + name);
  }

  @Override
  public void end(long range) {
    calls.roctxRangeStop(range);
  }
}
