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

/**
 * Makes JCuda load its native library, from a folder of its own.
 *
 * <p>JCuda by itself looks in {@code java.library.path}, then among the resources of its own
 * module, where the library is on the class path only: on the module path it is in another module,
 * {@code jcuda.natives}. What it finds it unpacks to a fixed name in {@code java.io.tmpdir}, and it
 * takes whatever has that name already: processes that start together load a file that is half
 * written, and other users of the machine can put theirs there. So the library is unpacked here, to
 * a folder that nobody else writes to. The property belongs to the whole process and stays as it
 * is; instead the class of JCuda that reads it is defined here, before anybody uses it, such that
 * it reads another property.
 */
final class JCudaNatives {
  /**
   * Behind it JCuda prints the stack trace of its second try, the first line of which tells why.
   */
  private static final Pattern SECOND_TRY =
      Pattern.compile("load the library as a resource:\\R(.*)");

  private static final String TEMPORARY_FOLDER = "java.io.tmpdir";

  /** What JCuda reads instead; as long, so that nothing else in the class file changes. */
  private static final String OWN_FOLDER = "jhal.jcuda.tmp";

  private JCudaNatives() {}

  /**
   * Loads it, which can be done once. A program that has used JCuda before has it load in JCuda's
   * own way.
   *
   * @throws HalException UNAVAILABLE if there is none, or it cannot be loaded, with the reason
   */
  static void load() {
    String file = ""; // unless there is no JCuda at all
    boolean isUnpacked = false;
    ClassLoader loader = JCudaNatives.class.getClassLoader();
    try {
      boolean isRedirected = redirect(); // before anything else of JCuda
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
        isUnpacked = unpack(loader, "lib/" + file, unpacked);
        System.setProperty(OWN_FOLDER, folder.toAbsolutePath().toString());
        Class.forName("jcuda.driver.JCudaDriver", true, loader);
      } finally {
        // What else of JCuda a program uses is unpacked as ever.
        System.setProperty(OWN_FOLDER, System.getProperty(TEMPORARY_FOLDER, "."));
        delete(unpacked);
        delete(folder);
      }
    } catch (IOException | ClassNotFoundException | LinkageError e) {
      throw new HalException(Status.UNAVAILABLE, reason(file, isUnpacked, e), e);
    }
  }

  /** Returns whether {@link LibUtils} reads {@link #OWN_FOLDER} now. */
  private static boolean redirect() throws IOException {
    byte[] code;
    try (InputStream in = NativePointerObject.class.getResourceAsStream("LibUtils.class")) {
      if (in == null) {
        return false;
      }
      code = in.readAllBytes();
    }
    // As if each byte were a character: constants of a class file are found like words.
    String text = new String(code, StandardCharsets.ISO_8859_1);
    int at = text.indexOf(TEMPORARY_FOLDER);
    if (at < 0 || text.indexOf(TEMPORARY_FOLDER, at + 1) >= 0) {
      return false; // another JCuda than is known
    }
    String changed = text.replace(TEMPORARY_FOLDER, OWN_FOLDER);
    try {
      MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
          .defineClass(changed.getBytes(StandardCharsets.ISO_8859_1));
      return true;
    } catch (LinkageError | IllegalAccessException e) {
      return false; // it is in use already
    }
  }

  /** Returns false if there is no such resource. */
  private static boolean unpack(ClassLoader loader, String resource, Path target)
      throws IOException {
    // A folder without classes is no package, so a module does not keep it to itself.
    try (InputStream in = loader.getResourceAsStream(resource)) {
      if (in == null) {
        return false;
      }
      Files.copy(in, target);
      return true;
    }
  }

  /** What is loaded stays so without its file; where the system holds on to it, it goes at exit. */
  private static void delete(Path unpacked) {
    File file = unpacked.toFile();
    if (file.exists() && !file.delete()) {
      file.deleteOnExit();
    }
  }

  private static String reason(String file, boolean isUnpacked, Throwable thrown) {
    if (!isUnpacked && thrown instanceof UnsatisfiedLinkError) {
      return "JCuda's native library "
          + file
          + " is nowhere: the jar jcuda-natives that has it must be on the class path or the module"
          + " path beside jcuda, or the file in a folder of java.library.path";
    }
    Matcher why = SECOND_TRY.matcher(String.valueOf(thrown.getMessage()));
    return "JCuda's native library "
        + file
        + " cannot be loaded: "
        + (why.find() ? why.group(1) : thrown);
  }
}
