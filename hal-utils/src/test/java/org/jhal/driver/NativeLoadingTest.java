// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Reasons that the JVM hides in causes. */
class NativeLoadingTest {
  @Test
  void givesTheInnermostMessage() {
    Throwable inner = new UnsatisfiedLinkError("/tmp/a.so: no space left");
    assertEquals(
        "/tmp/a.so: no space left",
        NativeLoading.reason(new ExceptionInInitializerError(inner), "a.module"));
    assertEquals("plain", NativeLoading.reason(new LinkageError("plain"), "a.module"));
    assertEquals(
        "java.lang.LinkageError", NativeLoading.reason(new LinkageError(null), "a.module"));
  }

  @Test
  void saysHowToAllowNativeAccess() {
    String said = "Illegal native access from: unnamed module @1b2c";
    assertEquals(
        said
            + "; start Java with --enable-native-access=ALL-UNNAMED, or on the module path with"
            + " --enable-native-access=a.module",
        NativeLoading.reason(
            new ExceptionInInitializerError(new IllegalCallerException(said)), "a.module"));
  }

  /** As the JVM fails the second attempt to use a class. */
  @Test
  void remembersWhyAClassCannotBeInitialized() {
    String reason =
        NativeLoading.reason(
            new ExceptionInInitializerError(new LinkageError("too old")), "a.module");
    assertEquals("too old", reason);
    Throwable later = new NoClassDefFoundError("Could not initialize class com.sun.jna.Native");
    assertEquals(reason, NativeLoading.reason(later, "a.module"));
    Throwable missing = new NoClassDefFoundError("com/sun/jna/Missing");
    assertEquals("com/sun/jna/Missing", NativeLoading.reason(missing, "a.module"));
  }
}
