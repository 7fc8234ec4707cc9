// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;

/** The suite's kernels are the same in all places that declare them. */
class KernelsTests {
  private static String file(String name) {
    byte[] bytes = CtsKernels.bundle().read(name);
    assertNotNull(bytes, name);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Set<String> find(String pattern, String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  @Test
  void everyFormatHasEveryFunction() {
    Set<String> methods = new TreeSet<>();
    for (Method method : CtsKernels.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers())
          && method.getParameterCount() == 1
          && method.getParameterTypes()[0] == Workgroup.class) {
        methods.add(method.getName());
      }
    }
    Set<String> declared =
        find("\\{\\s*\"name\": \"([a-z_]+)\",\\s*\"parameters\"", file("manifest.json"));
    assertEquals(declared, methods);
    assertEquals(declared, find("extern \"C\" __global__ void ([a-z_]+)\\(", file("kernels.cpp")));
  }
}
