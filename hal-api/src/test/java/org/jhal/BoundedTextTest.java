// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BoundedTextTest {
  /** Some programs' objects contain themselves. */
  private static final class Endless {
    @Override
    public String toString() {
      return "[" + this + "]";
    }
  }

  private static final class Broken {
    @Override
    public String toString() {
      throw new AssertionError("broken");
    }
  }

  private static String named(Object named) {
    return new BoundedText(1_000).name(named).toString();
  }

  @Test
  void describesObjectsWhateverTheirToStringDoes() {
    assertEquals("name", named("name"));
    assertEquals("a\\u000ab", named("a\nb"));
    assertEquals(Endless.class.getName(), named(new Endless()));
    assertEquals(Broken.class.getName(), named(new Broken()));
    assertEquals("null", new BoundedText(1_000).name(null).toString());
  }
}
