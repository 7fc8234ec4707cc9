package org.jhal.driver.gpu;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jspecify.annotations.Nullable;

/**
 * The functions that the vendors' run-time compilers have in common, each with the vendor's prefix
 * in front; see {@link SharedLibrary#map(Class, String)}. Each returns a result, 0 for success,
 * unless it says otherwise.
 */
public interface CompilerApi extends Library {
  /** Returns the name of a result. */
  String getErrorString(int result);

  /** Makes a program of a source, and of headers if there are any. */
  int createProgram(
      PointerByReference program,
      String source,
      String name,
      int headerCount,
      @Nullable Pointer headers,
      @Nullable Pointer includeNames);

  /** Ends a program. */
  int destroyProgram(PointerByReference program);

  /** Compiles a program. */
  int compileProgram(Pointer program, int optionCount, StringArray options);

  /** How many bytes {@link #getProgramLog} writes. */
  int getProgramLogSize(Pointer program, LongByReference size);

  /** Writes what the compiler has said, and a zero. */
  int getProgramLog(Pointer program, Memory log);
}
