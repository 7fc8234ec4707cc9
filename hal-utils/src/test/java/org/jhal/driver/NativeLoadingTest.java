// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** JNA prints the class path behind it. */
  @Test
  void givesTheReasonOfTheLoaderAlone() {
    String ofJna =
        "Unable to load library '/a.so':\n/a.so: no\n/a.so: no\nNative library (a.so) not found";
    assertEquals("/a.so: no", NativeLoading.reason(new LinkageError(ofJna), "a.module"));
  }

  @ParameterizedTest
  @CsvSource({
    "/tmp, jhal-cpu12.so, java.io.tmpdir",
    "/tmp/jhal-jcuda12, libJCudaDriver.so, java.io.tmpdir",
    "/tmp, jna12.tmp, jna.tmpdir"
  })
  void namesThePropertyOfAFolderFromWhichNothingMayBeExecuted(
      String folder, String name, String property) {
    String file = folder + "/" + name;
    String message = file + ": " + file + ": failed to map segment from shared object";
    assertEquals(
        message
            + ("; the file system of " + folder + " is mounted with noexec, so native code that is")
            + (" unpacked there cannot be loaded; -D" + property + "=FOLDER names another folder"),
        NativeLoading.withRemedy(message, List.of("1 0 0:1 / /tmp rw,noexec - tmpfs tmpfs rw")));
    assertEquals(
        message,
        NativeLoading.withRemedy(message, List.of("1 0 0:1 / /tmp rw - tmpfs tmpfs rw")),
        "memory was missing, for example");
    assertEquals("no", NativeLoading.withRemedy("no"));
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
