// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;

/** Changes in the text of LLVM's own language, of what its target spirv64 lacks. */
final class LlvmText {
  /** The beginning of the names of kernels that are expressions. */
  static final String KERNEL = "hal_kernel_";

  private static final String REFERENCE = "hal_entry_";

  private static final Pattern DECLARED_CLASS =
      Pattern.compile("^declare [^\\n]*@llvm\\.is\\.fpclass\\.[^\\n]*\\n", Pattern.MULTILINE);

  /** The list that keeps references, which LLVM has no use for after Clang. */
  private static final Pattern USED =
      Pattern.compile("^@llvm\\.used = [^\\n]*\\n", Pattern.MULTILINE);

  /** A type of integers, no part of a name or of a text. */
  private static final Pattern INTEGER = Pattern.compile("(?<![@%\\w.$\"\\\\-])i([0-9]+)\\b(?!\")");

  private static final Set<String> WIDTHS = Set.of("1", "8", "16", "32", "64");

  private LlvmText() {}

  /**
   * Refuses integers of which the target computes more bits than they have.
   *
   * @throws HalException UNIMPLEMENTED if there is one
   */
  static void checkIntegers(String text, String what) {
    for (String line : text.split("\n")) {
      boolean isCode = line.startsWith("  ") || line.startsWith("define ");
      Matcher type = INTEGER.matcher(isCode ? line : "");
      while (type.find()) {
        if (!WIDTHS.contains(type.group(1))) {
          throw new HalException(
              Status.UNIMPLEMENTED,
              "cannot compile %s: LLVM computes with an integer of %s bits in it, which its target has not, as in: %s; a packed bit field may need it"
                  .formatted(what, type.group(1), line.strip()));
        }
      }
    }
  }

  /** Lines behind a source that have kernels instantiated, and say which symbols these have. */
  static String references(List<String> expressions) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < expressions.size(); i++) {
      lines.append(
          "\nextern \"C\" __attribute__((device, used)) const void* const %s%s = (const void*)&(%s);"
              .formatted(REFERENCE, i, expressions.get(i)));
    }
    return lines.toString();
  }

  /**
   * The text with functions of the dialect in place of LLVM's, and with the names of kernels that
   * are expressions.
   */
  static String replaced(String text, int expressions) {
    String replaced = DECLARED_CLASS.matcher(text).replaceAll("");
    replaced = replaced.replace("@llvm.is.fpclass.f", "@hal_is_class_f");
    if (expressions > 0) {
      replaced = USED.matcher(replaced).replaceAll("");
    }
    for (int i = 0; i < expressions; i++) {
      replaced = named(replaced, i);
    }
    return replaced;
  }

  private static String named(String text, int expression) {
    Matcher reference =
        Pattern.compile(
                "^@" + REFERENCE + expression + " = [^\\n]*\\bptr @([\\w.$]+)[^\\n]*\\n",
                Pattern.MULTILINE)
            .matcher(text);
    if (!reference.find()) {
      throw new HalException(
          Status.UNIMPLEMENTED, "Clang gives no symbol for entry point " + expression);
    }
    String symbol = reference.group(1);
    if (symbol.startsWith(KERNEL)) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "two entry points are the same kernel, with different names in the manifest");
    }
    return Pattern.compile("([@$])" + Pattern.quote(symbol) + "(?![\\w.$])")
        .matcher(reference.replaceFirst(""))
        .replaceAll("$1" + KERNEL + expression);
  }
}
