package org.jhal.hip;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A library of ROCm: where it is looked for, what it has, and why one cannot be loaded. */
final class SharedLibrary {
  private static final List<String> VERSIONS = List.of(".7", ".6", ".5", "");
  private static final String USUAL_FOLDER = "/opt/rocm/lib";

  /** Machines for which ELF files are made, by JNA's name of the processor. */
  private static final Map<String, Integer> MACHINES =
      Map.of("x86-64", 62, "aarch64", 183, "ppc64le", 21);

  private static final int ELF_MAGIC = 0x7F454C46; // as the first four bytes
  private static final int ELF_64_BIT = 2;

  private final String
      name; // NativeLibrary.getName() is a shorter one, which may mean another file
  private final NativeLibrary library;

  private SharedLibrary(String name, NativeLibrary library) {
    this.name = name;
    this.library = library;
  }

  /**
   * Loads a library.
   *
   * @param name of a file, absolute, or for the system to find
   * @throws UnsatisfiedLinkError if that is not possible; see {@link #reason}
   */
  static SharedLibrary open(String name) {
    return new SharedLibrary(name, NativeLibrary.getInstance(name));
  }

  NativeLibrary library() {
    return library;
  }

  /** Whether it exports a function, or is linked with a library that does. */
  boolean has(String symbol) {
    try {
      return library.getFunction(symbol) != null;
    } catch (UnsatisfiedLinkError e) {
      return false;
    }
  }

  /** Its functions; one that it lacks is found out when it is called. */
  <T extends Library> T map(Class<T> functions) {
    return Native.load(name, functions);
  }

  /** The file, as far as it is known. */
  String path() {
    return String.valueOf(library.getFile());
  }

  /** A path that the user gives by property or variable, made absolute; null if there is none. */
  static @Nullable String explicitPath(String property, String variable) {
    String given = System.getProperty(property, "");
    if (given.isEmpty()) {
      String value = System.getenv(variable);
      given = value == null ? "" : value;
    }
    return given.isEmpty() ? null : new File(given).getAbsolutePath();
  }

  /**
   * What to try for a library of ROCm, newest version first: files in {@code $ROCM_PATH/lib}, names
   * for the system to find, files in the usual folder.
   */
  static List<String> rocmCandidates(String name) {
    List<String> all = new ArrayList<>();
    String home = System.getenv("ROCM_PATH");
    if (home != null && !home.isEmpty()) {
      all.addAll(files(new File(home, "lib"), name));
    }
    VERSIONS.forEach(version -> all.add(name + version));
    all.addAll(files(new File(USUAL_FOLDER), name));
    return all;
  }

  private static List<String> files(File folder, String name) {
    return VERSIONS.stream()
        .map(version -> new File(folder, name + version))
        .filter(File::isFile)
        .map(File::getAbsolutePath)
        .toList();
  }

  /**
   * What to try for a library that comes with this one: a file beside it, then a name for the
   * system to find.
   */
  List<String> beside(String other, int version) {
    List<String> all = new ArrayList<>();
    File folder = library.getFile() == null ? null : library.getFile().getParentFile();
    for (String each : List.of(other + "." + version, other)) {
      if (folder != null && new File(folder, each).isFile()) {
        all.add(new File(folder, each).getAbsolutePath());
      }
      all.add(each);
    }
    return all;
  }

  /**
   * A name that could not be loaded, with the reason where it is more than that there is no such
   * file.
   */
  static String reason(String name, UnsatisfiedLinkError thrown) {
    File file = new File(name);
    if (!file.isFile()) {
      return name;
    }
    String machine = otherMachine(file);
    if (machine != null) {
      return name + " (" + machine + ")";
    }
    // JNA's second line is what the system said; the first is that there is something to say.
    List<String> lines = String.valueOf(thrown.getMessage()).lines().limit(2).toList();
    return name + " (" + (lines.isEmpty() ? "" : lines.get(lines.size() - 1)) + ")";
  }

  /** What the system tells in strange words: that a library is for another processor. */
  private static @Nullable String otherMachine(File file) {
    Integer own = MACHINES.get(Platform.ARCH);
    try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
      if (own == null || in.length() < 20 || in.readInt() != ELF_MAGIC) {
        return null;
      }
      boolean isWide = in.readByte() == ELF_64_BIT;
      in.seek(18);
      int machine = Short.toUnsignedInt(Short.reverseBytes(in.readShort()));
      if (isWide && machine == own) {
        return null;
      }
      return "made for a "
          + (isWide ? "64" : "32")
          + "-bit processor with the ELF number "
          + machine
          + MACHINES.entrySet().stream()
              .filter(known -> known.getValue() == machine)
              .map(known -> ", " + known.getKey())
              .findFirst()
              .orElse("")
          + "; this process runs on "
          + Platform.ARCH;
    } catch (IOException e) {
      return null; // the system's own words have to do
    }
  }
}
