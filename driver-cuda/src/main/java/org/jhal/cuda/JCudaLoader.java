package org.jhal.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.NativePointerObject;

/**
 * Makes JCuda load its native half from a folder of its own.
 *
 * <p>JCuda unpacks it to a fixed name in {@code java.io.tmpdir}, and takes whatever has that name
 * already: processes that start at the same time load a file that is half written, and other users
 * of the machine can put theirs there. That property belongs to the whole process, so it stays as
 * it is. Instead the class of JCuda that reads it is defined here, before anybody uses it, such
 * that it reads another property.
 */
final class JCudaLoader {
  private static final String TEMPORARY_FOLDER = "java.io.tmpdir";

  /** What it reads instead; as long, so that nothing else in the class file changes. */
  private static final String OWN_FOLDER = "jhal.jcuda.tmp";

  private JCudaLoader() {}

  /**
   * Loads it. A program that has used JCuda before has it load in JCuda's own way, if at all.
   *
   * @throws LinkageError if it cannot be loaded
   */
  static void load() throws IOException {
    if (!redirect()) {
      initialize();
      return;
    }
    Path folder = Files.createTempDirectory("jhal-jcuda");
    Path file = folder.resolve(fileName());
    try {
      unpack(file);
      System.setProperty(OWN_FOLDER, folder.toAbsolutePath().toString());
      initialize();
    } finally {
      // What else of JCuda a program uses is unpacked as ever.
      System.setProperty(OWN_FOLDER, System.getProperty(TEMPORARY_FOLDER, "."));
      delete(file);
      delete(folder);
    }
  }

  private static void initialize() {
    try {
      Class.forName("jcuda.driver.JCudaDriver", true, JCudaLoader.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new NoClassDefFoundError("jcuda.driver.JCudaDriver");
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

  /** What JCuda looks for. */
  private static String fileName() {
    return LibUtils.createLibraryFileName(
        LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
  }

  /** Also where it is in another module than JCuda, in which JCuda does not find it. */
  private static void unpack(Path file) throws IOException {
    String resource = "lib/" + file.getFileName();
    try (InputStream in = LibUtils.class.getClassLoader().getResourceAsStream(resource)) {
      if (in != null) { // else JCuda says what it misses
        Files.copy(in, file);
      }
    }
  }

  /** What is loaded stays so without its file; where the system holds on to it, it goes at exit. */
  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      path.toFile().deleteOnExit();
    }
  }
}
