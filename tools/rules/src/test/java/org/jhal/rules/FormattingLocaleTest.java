// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No text depends on the default locale: compilers, JSON parsers and tests read it, and in some
 * locales {@code %d} writes other digits than 0 to 9. A call that names no locale has a literal
 * format with conversions that are the same in all locales, such as {@code %s} and {@code %x}.
 * {@code PlatformRulesTest} forbids the methods whose result always depends on the locale.
 */
class FormattingLocaleTest {
  private static final Pattern CONVERSION = Pattern.compile("%[-#+ 0,(<\\d$.]*([a-zA-Z%])");

  private static final String SAME_EVERYWHERE = "bchnosx%";

  private static final Pattern MAY_FORMAT = Pattern.compile("\\b(formatted|format|printf)\\b");

  @Test
  void noTextDependsOnTheLocale() throws IOException {
    List<String> found = new ArrayList<>();
    int read = 0;
    for (Path file : SourceFiles.below(Repository.root())) {
      if (file.toString().endsWith(".java")) {
        read++;
        String code = Files.readString(file);
        if (MAY_FORMAT.matcher(code).find()) {
          for (String place : dependent(code)) {
            found.add(Repository.root().relativize(file) + ":" + place);
          }
        }
      }
    }
    assertFalse(read == 0, "no source was read");
    assertEquals(List.of(), found, "formats that need String.format(Locale.ROOT, ...)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"%d bytes\".formatted(n)",
        "(\"%s has \" + \"%1$,d\").formatted(n)",
        "\"\"\"\n  a %3.1f\n\"\"\".formatted(n)",
        "\"%S\".formatted(n)",
        "FORMAT.formatted(n)",
        "String.format(\"%e\", n)",
        "String.format(FORMAT, n)",
        "System.out.printf(\"%5d\", n)",
        "out.format(\"%d\", n)",
        "x.map(FORMAT::formatted)",
        "x.map(String::format)"
      })
  void controlATextThatDependsOnTheLocaleIsFound(String expression) throws IOException {
    assertEquals(1, dependent("class A { Object a = " + expression + "; }").size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"%s\".formatted(n)",
        "(\"%s: \" + \"%04x%n%%\").formatted(n)",
        "String.format(Locale.ROOT, \"%d\", n)",
        "String.format(Locale.ROOT, FORMAT, n)",
        "out.printf(Locale.ROOT, \"%5d\", n)",
        "variant.format()",
        "builder.format(\"gpu-c++\")",
        "x.map(Variant::format)"
      })
  void controlOtherTextIsAccepted(String expression) throws IOException {
    assertEquals(List.of(), dependent("class A { Object a = " + expression + "; }"));
  }

  /** The calls whose result depends on the locale, each with its line. */
  private static List<String> dependent(String code) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var problems = new DiagnosticCollector<JavaFileObject>();
    var task =
        (JavacTask) compiler.getTask(null, null, problems, null, null, List.of(new Code(code)));
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    List<String> found = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) {
      LineMap lines = unit.getLineMap();
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitMethodInvocation(
            MethodInvocationTree call, @Nullable Void unused) {
          if (call.getMethodSelect() instanceof MemberSelectTree method
              && dependsOnLocale(method, call.getArguments())) {
            add(call);
          }
          return super.visitMethodInvocation(call, unused);
        }

        @Override
        public @Nullable Void visitMemberReference(
            MemberReferenceTree reference, @Nullable Void unused) {
          String name = reference.getName().toString();
          boolean isString = reference.getQualifierExpression().toString().equals("String");
          if (name.equals("formatted")
              || name.equals("printf")
              || name.equals("format") && isString) {
            add(reference);
          }
          return super.visitMemberReference(reference, unused);
        }

        private void add(ExpressionTree tree) {
          long line = lines.getLineNumber(positions.getStartPosition(unit, tree));
          found.add(line + ": " + tree);
        }
      }.scan(unit, null);
    }
    assertEquals(List.of(), problems.getDiagnostics());
    return found;
  }

  private static boolean dependsOnLocale(
      MemberSelectTree method, List<? extends ExpressionTree> arguments) {
    ExpressionTree receiver = method.getExpression();
    String name = method.getIdentifier().toString();
    if (name.equals("formatted")) {
      return dependsOnLocale(literal(receiver));
    }
    boolean formats = name.equals("printf") || name.equals("format");
    if (!formats || arguments.isEmpty() || arguments.get(0).toString().startsWith("Locale.")) {
      return false;
    }
    String format = literal(arguments.get(0));
    // Other classes have methods called "format".
    boolean isOther = name.equals("format") && !receiver.toString().equals("String");
    return !(isOther && format == null) && dependsOnLocale(format);
  }

  private static boolean dependsOnLocale(@Nullable String format) {
    if (format == null) {
      return true;
    }
    Matcher conversion = CONVERSION.matcher(format);
    while (conversion.find()) {
      if (!SAME_EVERYWHERE.contains(conversion.group(1))) {
        return true;
      }
    }
    return false;
  }

  /** The value of a literal, or of literals that are joined; null if it is something else. */
  private static @Nullable String literal(ExpressionTree tree) {
    if (tree instanceof ParenthesizedTree inner) {
      return literal(inner.getExpression());
    }
    if (tree instanceof BinaryTree sum) {
      String left = literal(sum.getLeftOperand());
      String right = literal(sum.getRightOperand());
      return left == null || right == null ? null : left + right;
    }
    return tree instanceof LiteralTree text ? String.valueOf(text.getValue()) : null;
  }

  private static final class Code extends SimpleJavaFileObject {
    private final String text;

    Code(String text) {
      super(URI.create("string:///Code.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
