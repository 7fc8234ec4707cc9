// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Library;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * A native library that a driver searches for, with the parts of the message if it is missing.
 *
 * @param what the library, for messages
 * @param origin the product that contains it, for messages
 * @param property the system property that may name its file; then no other place is searched
 * @param status the status of the failure
 */
public record WantedLibrary(String what, String origin, String property, Status status) {
  /** A file that a setting names: its absolute path, and the setting. */
  private record Named(String path, String source) {}

  /** The environment variable that may name the file instead; the property takes precedence. */
  public String variable() {
    return property.toUpperCase(Locale.ROOT).replace('.', '_');
  }

  private @Nullable Named named() {
    String value = System.getProperty(property, "");
    String source = "the system property " + property;
    if (value.isEmpty()) {
      String set = System.getenv(variable());
      value = set == null ? "" : set;
      source = "the variable " + variable();
    }
    return value.isEmpty() ? null : new Named(new File(value).getAbsolutePath(), source);
  }

  /**
   * Loads the file that a setting names, or else the first loadable candidate.
   *
   * @param candidates absolute paths, or names for the system to find
   * @param symbol a function by which the library is recognized
   * @throws HalException with {@link #status()}; the message lists the attempts with their
   *     failures; RESOURCE_EXHAUSTED if one could not be loaded for lack of file handles or memory
   */
  public SharedLibrary find(List<String> candidates, String symbol) {
    return find(candidates, symbol, "");
  }

  /**
   * Likewise. Loading a library that wants executable stacks makes those of all threads executable,
   * so without a device only the one that a setting names is loaded without looking; of the others,
   * those that certainly want none.
   *
   * @param absence why there is no device, for messages; empty if there may be one
   */
  public SharedLibrary find(List<String> candidates, String symbol, String absence) {
    return findAll(candidates, symbol, library -> true, absence, SharedLibrary::open).get(0);
  }

  /**
   * Loads the file that a setting names, or else the candidates in turn until one suffices. Returns
   * the loaded ones, each file once, in this order.
   *
   * @param isEnough whether a loaded library makes the remaining candidates superfluous
   * @throws HalException as {@link #find}, if none can be loaded
   */
  public List<SharedLibrary> findAll(
      List<String> candidates, String symbol, Predicate<SharedLibrary> isEnough) {
    return findAll(candidates, symbol, isEnough, "", SharedLibrary::open);
  }

  /**
   * Likewise.
   *
   * @param absence as in {@link #find(List, String, String)}
   * @param opener {@link SharedLibrary#open}
   */
  List<SharedLibrary> findAll(
      List<String> candidates,
      String symbol,
      Predicate<SharedLibrary> isEnough,
      String absence,
      Function<String, SharedLibrary> opener) {
    Named named = named();
    if (named != null && !new File(named.path()).isFile()) {
      throw failure("there is no file '" + named.path() + "', which " + named.source() + " names");
    }
    List<String> tried = new ArrayList<>();
    Map<String, SharedLibrary> found = new LinkedHashMap<>(); // by file
    Set<Path> files = new HashSet<>(); // that are not loaded
    for (String name : named != null ? List.of(named.path()) : candidates) {
      if (named == null && !absence.isEmpty()) {
        Path file = LibraryFiles.locate(name);
        if (file == null) { // if it exists all the same, nobody knows what it wants
          tried.add(name + " (not found)");
          continue;
        }
        if (StackGuards.wantsExecutableStack(file, true)) {
          String why = " (not loaded, since it wants executable stacks and " + absence + ")";
          tried.add(name + (files.add(file) ? why : " (the same)"));
          continue;
        }
      }
      try {
        SharedLibrary library = opener.apply(name);
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
        if (HostFailures.isExhausted(e)) { // no reason to take another library, or none
          throw HostFailures.of(Status.RESOURCE_EXHAUSTED, "cannot load " + name, e);
        }
        tried.add(SharedLibrary.reason(name, e));
      }
    }
    if (!found.isEmpty()) {
      return List.copyOf(found.values());
    }
    String setting =
        named != null
            ? named.source() + " names its file"
            : property + " or " + variable() + " may name its file";
    throw failure(
        "%s cannot be loaded; it comes with %s, and %s; tried %s"
            .formatted(what, origin, setting, String.join(", ", tried)));
  }

  /** The file that {@link #find} would probably load; null if unknown. */
  public @Nullable Path locate(List<String> candidates) {
    List<Path> all = locateAll(candidates);
    return all.isEmpty() ? null : all.get(0);
  }

  /** The files that {@link #findAll} would probably load at most. */
  public List<Path> locateAll(List<String> candidates) {
    Named named = named();
    Set<Path> files = new LinkedHashSet<>();
    for (String name : named != null ? List.of(named.path()) : candidates) {
      Path file = LibraryFiles.locate(name);
      if (file != null) {
        files.add(file);
      }
    }
    return List.copyOf(files);
  }

  /**
   * Checks that a library has all functions.
   *
   * @param needed the version that has them, for messages
   * @throws HalException with {@link #status()} and the names of the missing ones
   */
  public void require(SharedLibrary library, List<String> symbols, String needed) {
    List<String> missing = library.missing(symbols);
    if (!missing.isEmpty()) {
      throw failure(
          "%s lacks %s; %s is too old (JHAL needs %s or newer), or this is another library"
              .formatted(library.path(), String.join(", ", missing), what, needed));
    }
  }

  /**
   * Maps the functions of an interface as {@link SharedLibrary#map(Class, String)} does, and
   * {@linkplain #require requires} all of them.
   */
  public <T extends Library> T map(
      SharedLibrary library, Class<T> functions, String prefix, String needed) {
    require(library, SharedLibrary.functions(functions, prefix), needed);
    return library.map(functions, prefix);
  }

  private HalException failure(String message) {
    return new HalException(status, message);
  }
}
