// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Function;
import com.sun.jna.FunctionMapper;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.NativeLoading;
import org.jhal.driver.support.LastingThreads;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * A loaded native library; also finds libraries, and explains why one cannot be loaded.
 *
 * <p>Thread-safe.
 */
public final class SharedLibrary {
  /** The machine numbers of ELF files, by JNA's name of the processor. */
  private static final Map<String, Integer> MACHINES =
      Map.of("x86-64", 62, "aarch64", 183, "ppc64le", 21);

  private static final int ELF_MAGIC = 0x7F454C46; // as the first four bytes
  private static final int ELF_64_BIT = 2;

  private final String name; // NativeLibrary.getName() is shortened, and may mean another file
  private final NativeLibrary library;

  private SharedLibrary(String name, NativeLibrary library) {
    this.name = name;
    this.library = library;
  }

  /**
   * Loads a library.
   *
   * @param name an absolute path, or a name for the system to find
   * @throws UnsatisfiedLinkError if it cannot be loaded; see {@link #reason}
   * @throws HalException UNAVAILABLE if JNA itself cannot be loaded; RESOURCE_EXHAUSTED if that is
   *     for lack of file handles or memory
   */
  public static SharedLibrary open(String name) {
    return LastingThreads.start(() -> openHere(name));
  }

  private static SharedLibrary openHere(String name) {
    try {
      int ignored = Native.POINTER_SIZE;
    } catch (LinkageError e) {
      throw new HalException(
          HostFailures.isExhausted(e) ? Status.RESOURCE_EXHAUSTED : Status.UNAVAILABLE,
          "JNA cannot load its own native library: " + NativeLoading.reason(e, "com.sun.jna"),
          e);
    }
    try {
      return new SharedLibrary(name, NativeLibrary.getInstance(name));
    } finally {
      StackGuards.restore();
    }
  }

  /** The library as JNA sees it. */
  public NativeLibrary library() {
    return library;
  }

  /** Whether the library exports a function, or is linked with a library that does. */
  public boolean has(String symbol) {
    return optional(symbol) != null;
  }

  public List<String> missing(List<String> symbols) {
    return symbols.stream().filter(symbol -> !has(symbol)).toList();
  }

  /**
   * The names of the functions that a class declares as native methods, for {@link
   * Native#register}, or an interface as methods, for {@link #map(Class)}.
   */
  public static List<String> functions(Class<?> mapping) {
    return methods(mapping).map(Method::getName).sorted().toList();
  }

  /** The names of the functions of an interface for {@link #map(Class, String)}. */
  public static List<String> functions(Class<?> mapping, String prefix) {
    return methods(mapping).map(method -> function(prefix, method.getName())).sorted().toList();
  }

  private static Stream<Method> methods(Class<?> mapping) {
    return mapping.isInterface()
        ? Arrays.stream(mapping.getMethods()) // those that it inherits, too
        : Arrays.stream(mapping.getDeclaredMethods())
            .filter(method -> Modifier.isNative(method.getModifiers()));
  }

  /** A function, or null if this version lacks it. */
  public @Nullable Function optional(String symbol) {
    try {
      return library.getFunction(symbol);
    } catch (UnsatisfiedLinkError e) {
      return null;
    }
  }

  /**
   * The address of a function.
   *
   * @throws UnsatisfiedLinkError if this version lacks it
   */
  public long address(String symbol) {
    return Pointer.nativeValue(library.getFunction(symbol));
  }

  /** Maps its functions to an interface. Calling a missing one throws UnsatisfiedLinkError. */
  public <T extends Library> T map(Class<T> functions) {
    return Native.load(name, functions);
  }

  /**
   * Maps functions with a prefix to an interface whose methods are named without it: {@code
   * getVersion} is {@code PREFIXGetVersion}.
   */
  public <T extends Library> T map(Class<T> functions, String prefix) {
    return map(functions, method -> function(prefix, method));
  }

  /** Likewise; {@code names} maps names of methods to those of functions. */
  public <T extends Library> T map(Class<T> functions, UnaryOperator<String> names) {
    return Native.load(name, functions, options(names));
  }

  /**
   * Binds the native methods of a class to functions of this library, likewise.
   *
   * @throws UnsatisfiedLinkError if the library lacks one; then none can be called
   */
  public void bind(Class<?> mapping, UnaryOperator<String> names) {
    Native.register(mapping, NativeLibrary.getInstance(name, options(names)));
  }

  private static Map<String, FunctionMapper> options(UnaryOperator<String> names) {
    return Map.of(
        Library.OPTION_FUNCTION_MAPPER, (library, method) -> names.apply(method.getName()));
  }

  /** The name of the function for a method that is named without its prefix. */
  public static String function(String prefix, String method) {
    return prefix + Character.toUpperCase(method.charAt(0)) + method.substring(1);
  }

  /**
   * The file of a function of this library, or of one that it is linked with; null if there is no
   * such function, or the file is unknown or gone.
   */
  public @Nullable Path file(String symbol) {
    Function function = optional(symbol);
    return function == null ? null : LibraryFiles.mapped(Pointer.nativeValue(function));
  }

  /** The file of the library, if it is known. */
  public String path() {
    return String.valueOf(library.getFile());
  }

  /** Those of {@code names} that are files in {@code folder}, as absolute paths. */
  public static List<String> files(File folder, List<String> names) {
    List<String> found = new ArrayList<>();
    for (String name : names) {
      File file = new File(folder, name);
      if (file.isFile()) {
        found.add(file.getAbsolutePath());
      }
    }
    return found;
  }

  /**
   * The candidates for a library that has a function: its file if this library is linked with it,
   * else {@code others}.
   */
  public List<String> linked(String symbol, List<String> others) {
    if (!has(symbol)) {
      return others;
    }
    Path file = file(symbol); // unknown if the mapped file was replaced, for example
    return List.of(file == null ? path() : file.toString());
  }

  /** The candidates for a library that ships with this one: files beside it, and bare names. */
  public List<String> beside(String other, int version) {
    return beside(library.getFile(), other, version);
  }

  /** As {@link #beside(String, int)}, for a library file, or null. */
  public static List<String> beside(@Nullable File library, String other, int version) {
    List<String> all = new ArrayList<>();
    File folder = library == null ? null : library.getParentFile();
    for (String each : List.of(other + "." + version, other)) {
      if (folder != null && new File(folder, each).isFile()) {
        all.add(new File(folder, each).getAbsolutePath());
      }
      all.add(each);
    }
    return all;
  }

  /** A name that could not be loaded, with the reason unless the file is missing. */
  static String reason(String name, UnsatisfiedLinkError thrown) {
    File file = new File(name);
    if (!file.isFile()) {
      return name;
    }
    String machine = otherMachine(file);
    if (machine != null) {
      return name + " (" + machine + ")";
    }
    // JNA's first line is general; the second is the system's message.
    List<String> lines = String.valueOf(thrown.getMessage()).lines().limit(2).toList();
    return name + " (" + (lines.isEmpty() ? "" : lines.get(lines.size() - 1)) + ")";
  }

  /** A clear message if a library is for another processor; else null. */
  static @Nullable String otherMachine(File file) {
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
      String name =
          MACHINES.entrySet().stream()
              .filter(known -> known.getValue() == machine)
              .map(known -> ", " + known.getKey())
              .findFirst()
              .orElse("");
      return "made for a %s-bit processor with the ELF number %s%s; this process runs on %s"
          .formatted(isWide ? "64" : "32", machine, name, Platform.ARCH);
    } catch (IOException e) {
      return null; // use the system's own message
    }
  }
}
