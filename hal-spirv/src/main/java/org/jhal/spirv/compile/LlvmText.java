// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.util.regex.Pattern;

/** Changes in the text of LLVM's own language, of what its target spirv64 lacks. */
final class LlvmText {
  private static final Pattern DECLARED_CLASS =
      Pattern.compile("^declare [^\\n]*@llvm\\.is\\.fpclass\\.[^\\n]*\\n", Pattern.MULTILINE);

  private LlvmText() {}

  /** The text with functions of the dialect in place of LLVM's. */
  static String replaced(String text) {
    String withoutDeclarations = DECLARED_CLASS.matcher(text).replaceAll("");
    return withoutDeclarations.replace("@llvm.is.fpclass.f", "@hal_is_class_f");
  }
}
