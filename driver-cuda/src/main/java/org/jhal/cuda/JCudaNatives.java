// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.NativePointerObject;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeLoading;
import org.jhal.spi.HostFailures;

/**
 * Makes JCuda load its native library from a private folder.
 *
 * <p>JCuda itself searches {@code java.library.path}, then the resources of its own module. It
 * unpacks the library to a fixed name in {@code java.io.tmpdir}, and loads any existing file of
 * that name. So processes that start together may load a half-written file, and other users of the
 * machine can plant one. On the module path it finds no library, since that is in this driver's
 * module.
 *
 * <p>So this class unpacks the library to a private folder. It leaves the process-wide property
 * {@code java.io.tmpdir} alone: it defines JCuda's class that reads this property, before its first
 * use, so that it reads another one.
 */
final class JCudaNatives {
  /** Precedes the stack trace of JCuda's second attempt, whose first line has the reason. */
  private static final Pattern SECOND_TRY =
      Pattern.compile("load the library as a resource:\\R(.*)");

  private static final String TEMPORARY_FOLDER = "java.io.tmpdir";

  /**
   * The property that JCuda reads instead, of the same length, so that the class file keeps its
   * layout.
   */
  private static final String OWN_FOLDER = "jhal.jcuda.tmp";

  private JCudaNatives() {}

  /**
   * Loads the library; called once. After a program's own use of JCuda, JCuda loads it in its own
   * way.
   *
   * @throws HalException UNAVAILABLE with the reason if there is none, or it cannot be loaded
   */
  static void load() {
    String file = ""; // stays empty if JCuda is missing
    boolean isUnpacked = false;
    ClassLoader loader = JCudaNatives.class.getClassLoader();
    try {
      boolean isRedirected = redirect(); // before any other class of JCuda is used
      file =
          LibUtils.createLibraryFileName(
              LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
      if (!isRedirected) {
        Class.forName("jcuda.driver.JCudaDriver", true, loader);
        return;
      }
      Path folder = Files.createTempDirectory("jhal-jcuda");
      Path unpacked = folder.resolve(file);
      try {
        isUnpacked = unpack("/lib/" + file, unpacked);
        System.setProperty(OWN_FOLDER, folder.toAbsolutePath().toString());
        Class.forName("jcuda.driver.JCudaDriver", true, loader);
      } finally {
        // Other libraries of JCuda that a program uses are unpacked as usual.
        System.setProperty(OWN_FOLDER, System.getProperty(TEMPORARY_FOLDER, "."));
        delete(unpacked);
        delete(folder);
      }
    } catch (IOException | ClassNotFoundException | LinkageError e) {
      Status status = HostFailures.isExhausted(e) ? Status.RESOURCE_EXHAUSTED : Status.UNAVAILABLE;
      throw new HalException(status, reason(file, isUnpacked, e), e);
    }
  }

  /** Returns whether {@link LibUtils} will read {@link #OWN_FOLDER}. */
  private static boolean redirect() throws IOException {
    byte[] code;
    try (InputStream in = NativePointerObject.class.getResourceAsStream("LibUtils.class")) {
      if (in == null) {
        return false;
      }
      code = in.readAllBytes();
    }
    // Read each byte as a character, so that constants of the class file can be found as text.
    String text = new String(code, StandardCharsets.ISO_8859_1);
    int at = text.indexOf(TEMPORARY_FOLDER);
    if (at < 0 || text.indexOf(TEMPORARY_FOLDER, at + 1) >= 0) {
      return false; // an unknown version of JCuda
    }
    String changed = text.replace(TEMPORARY_FOLDER, OWN_FOLDER);
    try {
      MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
          .defineClass(changed.getBytes(StandardCharsets.ISO_8859_1));
      return true;
    } catch (LinkageError | IllegalAccessException e) {
      return false; // the class is already in use
    }
  }

  /** Returns false if there is no such resource. */
  private static boolean unpack(String resource, Path target) throws IOException {
    try (InputStream in = JCudaNatives.class.getResourceAsStream(resource)) {
      if (in == null) {
        return false;
      }
      Files.copy(in, target);
      return true;
    }
  }

  /** Deletes what a loaded library does not need: at exit if the system refuses it now. */
  private static void delete(Path unpacked) {
    File file = unpacked.toFile();
    if (file.exists() && !file.delete()) {
      file.deleteOnExit();
    }
  }

  private static String reason(String file, boolean isUnpacked, Throwable thrown) {
    if (!isUnpacked && thrown instanceof UnsatisfiedLinkError) {
      return ("JCuda's native library %s is nowhere: it belongs to the jar of this driver,"
              + " as lib/%s, or into a folder of java.library.path")
          .formatted(file, file);
    }
    Matcher why = SECOND_TRY.matcher(String.valueOf(thrown.getMessage()));
    return "JCuda's native library %s cannot be loaded: %s"
        .formatted(
            file, NativeLoading.withRemedy(why.find() ? why.group(1) : String.valueOf(thrown)));
  }
}
