// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jhal.gpu.natives.SharedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The functions that the vendors' run-time compilers have in common. In a library each has the
 * vendor's prefix; see {@link SharedLibrary#map(Class, String)}. Each returns a result code, 0 for
 * success, unless stated otherwise.
 */
public interface CompilerApi extends Library {
  /** Returns the name of a result code. */
  String getErrorString(int result);

  /** Creates a program from a source, and from headers if there are any. */
  int createProgram(
      PointerByReference program,
      String source,
      String name,
      int headerCount,
      @Nullable Pointer headers,
      @Nullable Pointer includeNames);

  /** Destroys a program. */
  int destroyProgram(PointerByReference program);

  /** Asks for the entry point that an expression names, before the program is compiled. */
  int addNameExpression(Pointer program, String expression);

  /**
   * Gets the symbol of an entry point that was asked for, after the program was compiled. The
   * string belongs to the program.
   */
  int getLoweredName(Pointer program, String expression, PointerByReference symbol);

  /** Compiles a program. */
  int compileProgram(Pointer program, int optionCount, StringArray options);

  /** Gets how many bytes {@link #getProgramLog} writes. */
  int getProgramLogSize(Pointer program, LongByReference size);

  /** Writes the compiler's log, and a terminating zero. */
  int getProgramLog(Pointer program, Memory log);
}
