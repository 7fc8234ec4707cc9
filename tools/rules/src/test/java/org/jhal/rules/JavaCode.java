// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Java source text, seen as its code. */
final class JavaCode {
  /** A comment, or a literal, which is matched so that comment signs inside it do not count. */
  private static final Pattern COMMENT_OR_LITERAL =
      Pattern.compile(
          "//[^\\n]*"
              + "|/\\*(?s:.*?)\\*/"
              + "|\"\"\"(?s:.*?)(?<!\\\\)\"\"\""
              + "|\"[^\\\\\"\\n]*+(?:\\\\.[^\\\\\"\\n]*+)*+\""
              + "|'(?:\\\\.|[^\\\\'\\n])[^'\\n]*'");

  private JavaCode() {}

  /** The text with each comment replaced by its line ends, so that lines keep their numbers. */
  static String withoutComments(String source) {
    return COMMENT_OR_LITERAL
        .matcher(source)
        .replaceAll(
            match -> {
              String text = match.group();
              boolean comment = text.startsWith("//") || text.startsWith("/*");
              String kept = comment ? " " + text.replaceAll("[^\\n]", "") : text;
              return Matcher.quoteReplacement(kept);
            });
  }
}
