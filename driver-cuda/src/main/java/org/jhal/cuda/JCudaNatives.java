package org.jhal.cuda;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Makes JCuda load its native library.
 *
 * <p>JCuda by itself looks in {@code java.library.path}, then among the resources of its own
 * module, where the library is on the class path only: on the module path it is in another module,
 * {@code jcuda.natives}. What it finds it unpacks to a fixed name in {@code java.io.tmpdir}, and it
 * takes whatever has that name already, so that processes which start together load a file that is
 * half written. So the library is unpacked here, to a folder that nobody else writes to, and that
 * folder is the temporary one while JCuda looks.
 */
final class JCudaNatives {
  /**
   * Behind it JCuda prints the stack trace of its second try, the first line of which tells why.
   */
  private static final Pattern SECOND_TRY =
      Pattern.compile("load the library as a resource:\\R(.*)");

  private JCudaNatives() {}

  /**
   * Loads it, which can be done once.
   *
   * @throws HalException UNAVAILABLE if there is none, or it cannot be loaded, with the reason
   */
  @SuppressWarnings("SystemGetProperty")
  static void load() {
    String file = ""; // unless there is no JCuda at all
    boolean isUnpacked = false;
    ClassLoader loader = JCudaNatives.class.getClassLoader();
    try {
      String library = "JCudaDriver-" + JCudaVersion.get();
      file = LibUtils.createLibraryFileName(LibUtils.createPlatformLibraryName(library));
      Path folder = Files.createTempDirectory("jhal-jcuda");
      // Not before the end: another thread may have been told meanwhile that this is the folder for
      // temporary files. What it leaves there stays.
      folder.toFile().deleteOnExit();
      // Like the line above, has the JDK look the property up for good, while it is what others
      // mean.
      Files.delete(File.createTempFile("jhal", null, folder.toFile()).toPath());
      Path unpacked = folder.resolve(file);
      isUnpacked = unpack(loader, "lib/" + file, unpacked);
      String before = System.getProperty("java.io.tmpdir");
      System.setProperty("java.io.tmpdir", folder.toAbsolutePath().toString());
      try {
        Class.forName("jcuda.driver.JCudaDriver", true, loader);
      } finally {
        if (before == null) {
          System.clearProperty("java.io.tmpdir");
        } else {
          System.setProperty("java.io.tmpdir", before);
        }
        delete(unpacked);
      }
    } catch (IOException | ClassNotFoundException | LinkageError e) {
      throw new HalException(Status.UNAVAILABLE, reason(file, isUnpacked, e), e);
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
