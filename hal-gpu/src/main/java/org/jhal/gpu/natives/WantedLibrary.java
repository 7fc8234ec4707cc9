package org.jhal.gpu.natives;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * A native library that a driver looks for, with what is needed for the message if there is none.
 *
 * @param what what the library is, for people
 * @param origin what it comes with, for people
 * @param property the system property that may name its file; then no other place is searched
 * @param variable the environment variable that means the same; the property takes precedence
 * @param status the status of the failure
 */
public record WantedLibrary(
    String what, String origin, String property, String variable, Status status) {
  /** A file that the user names: its absolute path, and the setting that names it. */
  private record Named(String path, String source) {}

  private @Nullable Named named() {
    String value = System.getProperty(property, "");
    String source = "the system property " + property;
    if (value.isEmpty()) {
      String set = System.getenv(variable);
      value = set == null ? "" : set;
      source = "the variable " + variable;
    }
    return value.isEmpty() ? null : new Named(new File(value).getAbsolutePath(), source);
  }

  /** Whether the user names a file. */
  public boolean isNamed() {
    return named() != null;
  }

  /**
   * Loads the file that the user names, or else the first candidate that can be loaded.
   *
   * @param candidates absolute paths, or names for the system to find
   * @param symbol a function by which the library is recognized
   * @throws HalException with {@link #status()}; the message lists what was tried, and why it
   *     failed
   */
  public SharedLibrary find(List<String> candidates, String symbol) {
    return findAll(candidates, symbol, library -> true).get(0);
  }

  /**
   * Loads the file that the user names, or else the candidates in turn, until one of them is
   * enough. Returns those that were loaded, each file once, in this order.
   *
   * @param candidates absolute paths, or names for the system to find
   * @param symbol a function by which the library is recognized
   * @param isEnough whether a library that was loaded makes the candidates behind it superfluous
   * @throws HalException as {@link #find}, if none can be loaded
   */
  public List<SharedLibrary> findAll(
      List<String> candidates, String symbol, Predicate<SharedLibrary> isEnough) {
    Named named = named();
    if (named != null && !new File(named.path()).isFile()) {
      throw failure("there is no file '" + named.path() + "', which " + named.source() + " names");
    }
    List<String> tried = new ArrayList<>();
    Map<String, SharedLibrary> found = new LinkedHashMap<>(); // by file
    for (String name : named != null ? List.of(named.path()) : candidates) {
      try {
        SharedLibrary library = SharedLibrary.open(name);
        if (library.has(symbol)) {
          Path file = library.file(symbol);
          String key = file == null ? library.path() : file.toString();
          if (found.putIfAbsent(key, library) == null && isEnough.test(library)) {
            break;
          }
          continue;
        }
        tried.add(name + " (which lacks " + symbol + ")");
      } catch (UnsatisfiedLinkError e) {
        tried.add(SharedLibrary.reason(name, e));
      }
    }
    if (!found.isEmpty()) {
      return List.copyOf(found.values());
    }
    throw failure(
        what
            + " cannot be loaded; it comes with "
            + origin
            + ", and "
            + (named != null
                ? named.source() + " names its file"
                : property + " or " + variable + " may name its file")
            + "; tried "
            + String.join(", ", tried));
  }

  /**
   * The file that {@link #find} would load, as far as can be told without loading anything; null if
   * it cannot be told.
   */
  public @Nullable Path locate(List<String> candidates) {
    List<Path> all = locateAll(candidates);
    return all.isEmpty() ? null : all.get(0);
  }

  /** The files that {@link #findAll} would load at most, as far as can be told without loading. */
  public List<Path> locateAll(List<String> candidates) {
    Named named = named();
    Set<Path> files = new LinkedHashSet<>();
    for (String name : named != null ? List.of(named.path()) : candidates) {
      Path file = SharedLibrary.locate(name);
      if (file != null) {
        files.add(file);
      }
    }
    return List.copyOf(files);
  }

  /**
   * Checks that a library has all functions.
   *
   * @param needed the version that has them, for people
   * @throws HalException with {@link #status()} and the names of the missing ones
   */
  public void require(SharedLibrary library, List<String> symbols, String needed) {
    List<String> missing = library.missing(symbols);
    if (!missing.isEmpty()) {
      throw failure(
          library.path()
              + " lacks "
              + String.join(", ", missing)
              + "; "
              + what
              + " is too old (JHAL needs "
              + needed
              + " or newer), or this is another library");
    }
  }

  private HalException failure(String message) {
    return new HalException(status, message);
  }
}
