// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.spi.HostFailures;

/** The messages of a compiler, as GCC and Clang print them. */
final class CompilerLog {
  /** A message about a place in a source: 1 is the file, 2 the line. */
  private static final Pattern ERROR =
      Pattern.compile("^([^\\n:]*):([0-9]+):(?:[0-9]+:)? (?:fatal )?error: .*$", Pattern.MULTILINE);

  /** A line that begins a message, rather than one that shows or explains the source. */
  private static final Pattern MESSAGE =
      Pattern.compile(".*: (fatal )?(error|warning|note): .*|[^\\s].*:[0-9]+:.*");

  /** What only the translation has: its files, and names that begin with hal. */
  private static final Pattern INTERNAL =
      Pattern.compile(
          "headers/|kernels\\.cpp|<generated>|<scratch space>|\\bhal_|\\bHAL_|__groups\\b");

  /** Behind it, GCC says why an operator of the translation is none for some operands. */
  private static final String NO_CANDIDATE = "template argument deduction/substitution failed:";

  /** What the names of functions begin with that the translation adds to those of the source. */
  private static final String CLONE = "hal_clone_";

  /** A function in its translated form, in quotes: 1 is the name, 2 the template arguments. */
  private static final Pattern FUNCTION =
      Pattern.compile(
          "'(?:[^'\\n]*[ *&:])?(\\w+?)(?:__groups)?\\((?:(?:hal_items::)?hal_item ?&|HAL_|const hal_launch ?&)[^'\\n]*?"
              + "( \\[with (?![^'\\n]*HAL_)[^'\\n]*\\])?'");

  /** What GCC says about the errors that follow: 1 is the name of the function that they are in. */
  private static final Pattern CONTEXT =
      Pattern.compile(
          ": In (?:function|instantiation of) '(?:[^'\\n]*[ *&:])?(\\w+)(?:\\(.*)?(?: \\[with .*)?'");

  /** The first argument that the source does not give. */
  private static final Pattern ITEM = Pattern.compile("\\b(?:hal_items::)?hal_item ?&(, )?");

  /**
   * What the parts of a compiler print when the system ends one of them or refuses it memory.
   * Killed is what the kernel does to a process when memory runs out.
   */
  private static final Pattern EXHAUSTED =
      Pattern.compile(
          "^.*\\b(Killed|CPU time limit exceeded|File size limit exceeded)"
              + " signal terminated program .*"
              + "|^.* terminated with signal (9|24|25) \\[.*"
              + "|^.*: unable to execute command: (Killed|CPU time limit exceeded"
              + "|File size limit exceeded).*"
              + "|^.*: out of memory allocating \\d+ bytes.*"
              + "|^LLVM ERROR: out of memory.*"
              + "|^.*: memory exhausted$"
              + "|^.*'std::bad_alloc'$"
              + "|^.*: error while loading shared libraries: .*: cannot map zero-fill pages.*"
              + "|^.*: error while loading shared libraries: .*: failed to map segment from"
              + " shared object$");

  /** What a message shows of the source. */
  private static final Pattern SHOWN = Pattern.compile("^ *[0-9]* *\\|.*");

  private CompilerLog() {}

  /** Whether the compiler failed for lack of memory, time, processes, file handles or space. */
  static boolean isExhausted(String log) {
    return log.lines()
        .filter(line -> !SHOWN.matcher(line).matches())
        .anyMatch(
            line ->
                HostFailures.isExhausted(line)
                    || (!ERROR.matcher(line).matches() && EXHAUSTED.matcher(line).matches()));
  }

  /** Whether there is an error in a source. */
  static boolean hasError(String log) {
    return ERROR.matcher(log).find();
  }

  /** The first error. */
  static String firstError(String log) {
    Matcher found = ERROR.matcher(log);
    return found.find() ? found.group() : log.lines().findFirst().orElse("");
  }

  /** What tests where an error is. */
  interface At {
    boolean is(String file, int line);
  }

  /**
   * The first error in a function; empty if there is none.
   *
   * @param function its name, which GCC says before its first error, also where that is in code
   *     that was written out in it
   * @param at its lines
   */
  static String errorIn(String log, String function, At at) {
    boolean isInside = false;
    for (String line : log.lines().toList()) {
      Matcher context = CONTEXT.matcher(line);
      if (context.find()) {
        isInside = context.group(1).equals(function);
      } else if (line.contains(": At ")) { // global scope, or the end of the source
        isInside = false;
      }
      Matcher error = ERROR.matcher(line);
      if (error.matches()
          && (isInside || at.is(error.group(1), Integer.parseInt(error.group(2))))) {
        return line;
      }
    }
    return "";
  }

  /**
   * The messages as they would be about the source itself: without notes and contexts that are
   * about the translation, and without the parameter that it adds.
   */
  static String withoutInternals(String log) {
    List<String> kept = new ArrayList<>();
    boolean isDropped = false;
    boolean isReason = false; // why something of the translation is no candidate
    for (String line : log.replace(CLONE, "").lines().toList()) {
      boolean isError = ERROR.matcher(line).matches();
      String text = line;
      if (!isError && line.contains(": In ")) {
        text =
            FUNCTION
                .matcher(text)
                .replaceAll(
                    found ->
                        "'"
                            + found.group(1)
                            + Objects.requireNonNullElse(found.group(2), "")
                            + "'");
      }
      text = ITEM.matcher(text).replaceAll("");
      boolean isInternal =
          (!isError || (isReason && text.startsWith("headers/"))) && INTERNAL.matcher(text).find();
      // What a message shows of the source belongs to it.
      isReason = isInternal && (isReason || text.endsWith(NO_CANDIDATE));
      isDropped = isInternal || (isDropped && !isError && !MESSAGE.matcher(line).matches());
      if (!isDropped) {
        kept.add(text);
      }
    }
    return String.join("\n", kept);
  }
}
