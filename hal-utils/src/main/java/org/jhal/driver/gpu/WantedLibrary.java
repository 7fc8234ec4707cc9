package org.jhal.driver.gpu;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    Named named = named();
    if (named != null && !new File(named.path()).isFile()) {
      throw failure("there is no file '" + named.path() + "', which " + named.source() + " names");
    }
    List<String> tried = new ArrayList<>();
    for (String name : named != null ? List.of(named.path()) : candidates) {
      try {
        SharedLibrary library = SharedLibrary.open(name);
        if (library.has(symbol)) {
          return library;
        }
        tried.add(name + " (which lacks " + symbol + ")");
      } catch (UnsatisfiedLinkError e) {
        tried.add(SharedLibrary.reason(name, e));
      }
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
    Named named = named();
    for (String name : named != null ? List.of(named.path()) : candidates) {
      Path file = SharedLibrary.locate(name);
      if (file != null) {
        return file;
      }
    }
    return null;
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
