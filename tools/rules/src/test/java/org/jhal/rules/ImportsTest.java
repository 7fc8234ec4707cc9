// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import java.util.TreeSet;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jhal.Device;
import org.junit.jupiter.api.Test;

/** No type of the API has the name of a type that nearly every Java file imports. */
class ImportsTest {
  @Test
  void allTypesCanBeImportedBesideThoseOfTheJdk() {
    StringBuilder program =
        new StringBuilder(
            """
            import java.io.*;
            import java.nio.*;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.concurrent.atomic.*;
            import java.util.concurrent.locks.*;
            import java.util.function.*;
            import org.jhal.*;
            class Program {
            """);
    TreeSet<String> types = publicTypes();
    assertTrue(types.contains("Device"), () -> "types of the API: " + types);
    types.forEach(
        type -> program.append("  ").append(type).append(" a").append(type).append(";\n"));
    program.append("}\n");

    StringWriter errors = new StringWriter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    compiler
        .getTask(
            errors,
            null,
            null,
            List.of(
                "-proc:none", "-cp", Repository.compiled("hal-api").toString(), "-d", "/dev/null"),
            null,
            List.of(new Source("Program", program.toString())))
        .call();
    assertEquals(
        List.of(), errors.toString().lines().filter(line -> line.contains("error:")).toList());
  }

  private static TreeSet<String> publicTypes() {
    TreeSet<String> names = new TreeSet<>();
    for (JavaClass type : Repository.classes("hal-api")) {
      if (type.getPackageName().equals(Device.class.getPackageName())
          && type.isTopLevelClass()
          && type.getModifiers().contains(JavaModifier.PUBLIC)) {
        names.add(type.getSimpleName());
      }
    }
    return names;
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
