// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.PrivateFolder.UntrustedException;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Shows, verifies or empties the folders in which compiled kernels are kept; {@code hal cache} runs
 * it.
 *
 * <p>Thread-safe.
 */
public final class CacheTool {
  private static final int OK = 0;
  private static final int FAILED = 1;

  private static final Pattern VARIABLE = Pattern.compile("JHAL_([A-Z0-9_]+)_CACHE");
  private static final Pattern PROPERTY = Pattern.compile("jhal\\.([a-z0-9-]+)\\.cache");

  private CacheTool() {}

  /** What is done with a folder. */
  public enum Action {
    /** Lists the entries: when each was last used, its size, and what it is. */
    SHOW,
    /** Reads each entry, and reports those that are damaged or cannot be trusted. */
    VERIFY,
    /** Removes all entries, and nothing else. */
    EMPTY
  }

  /**
   * What to do where.
   *
   * @param action what is done
   * @param folder the only folder, or null for the default one and those that the setting {@code
   *     cache} of a driver names ({@code JHAL_DRIVER_CACHE}, {@code jhal.DRIVER.cache})
   */
  public record Options(Action action, @Nullable Path folder) {
    /** Checks that there is an action. */
    public Options {
      Objects.requireNonNull(action, "action");
    }
  }

  /**
   * Does it.
   *
   * @param out gets what was found or done
   * @param err gets failures, one a line, as {@code hal: STATUS: message}
   * @return 0, or 1 if a folder cannot be used, or if an entry is damaged or cannot be trusted
   * @throws HalException INVALID_ARGUMENT if no folder is named, and there is none, or there are
   *     several that could be emptied; nothing was done
   */
  public static int run(Options options, PrintWriter out, PrintWriter err) {
    Path folder = options.folder();
    return folder == null
        ? runAll(out, err, options.action())
        : run(out, err, options.action(), folder.toAbsolutePath());
  }

  private static int runAll(PrintWriter out, PrintWriter err, Action action) {
    Map<String, String> properties = new TreeMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      properties.put(name, System.getProperty(name, ""));
    }
    Map<Path, String> folders = new LinkedHashMap<>();
    KernelCache.defaultFolder().ifPresent(folder -> folders.put(folder, "default"));
    named(System.getenv(), properties).forEach(folders::putIfAbsent);
    if (folders.isEmpty()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "neither XDG_CACHE_HOME nor the home is an absolute path; give --folder");
    }
    if (action == Action.EMPTY && folders.size() > 1) {
      List<String> choices = new ArrayList<>();
      folders.forEach((folder, origin) -> choices.add(folder + " (" + origin + ")"));
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "there are several folders; say with --folder which one: " + String.join(", ", choices));
    }
    int worst = OK;
    for (Path folder : folders.keySet()) {
      worst = Math.max(worst, run(out, err, action, folder));
    }
    return worst;
  }

  /**
   * The folders that the settings {@code cache} of all drivers name, each with one origin. A
   * property precedes a variable. Skips values that name no folder, which opening a device reports.
   */
  static SortedMap<Path, String> named(
      Map<String, String> environment, Map<String, String> properties) {
    SortedMap<String, Named> byDriver = new TreeMap<>();
    addNamed(byDriver, VARIABLE, "environment ", environment);
    addNamed(byDriver, PROPERTY, "property ", properties);
    SortedMap<Path, String> folders = new TreeMap<>();
    for (Named named : byDriver.values()) {
      Path folder = path(named.folder);
      if (folder != null && folder.isAbsolute()) {
        folders.putIfAbsent(folder, named.origin);
      }
    }
    return folders;
  }

  private record Named(String folder, String origin) {}

  private static void addNamed(
      Map<String, Named> byDriver, Pattern form, String origin, Map<String, String> settings) {
    new TreeMap<>(settings)
        .forEach(
            (name, value) -> {
              Matcher setting = form.matcher(name);
              if (setting.matches() && !value.isEmpty()) {
                String driver = setting.group(1).toUpperCase(Locale.ROOT).replace('-', '_');
                byDriver.put(driver, new Named(value, origin + name));
              }
            });
  }

  private static @Nullable Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private static int run(PrintWriter out, PrintWriter err, Action action, Path folder) {
    KernelCache cache = KernelCache.in(folder);
    try {
      if (action == Action.VERIFY && !cache.isCache()) {
        err.println(
            "hal: FAILED_PRECONDITION: "
                + folder
                + " is no folder of kept kernels: it has other files, and no entry");
        return FAILED;
      }
      return switch (action) {
        case VERIFY -> verify(out, cache.items(), folder);
        case EMPTY -> empty(out, cache.empty(), folder);
        case SHOW -> show(out, cache.items(), folder);
      };
    } catch (NoSuchFileException e) {
      out.println("no kernels are kept: there is no folder " + folder);
      return OK;
    } catch (IOException e) {
      Status known = HostFailures.status(e);
      Status status = known == null ? Status.FAILED_PRECONDITION : known;
      err.println("hal: " + status + ": the folder " + folder + " cannot be used: " + reason(e));
      return FAILED;
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static String reason(IOException e) {
    if (e instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return e instanceof UntrustedException
        ? String.valueOf(e.getMessage())
        : HostFailures.reason(e);
  }

  private static int show(PrintWriter out, List<KernelCache.Item> items, Path folder) {
    Instant now = Instant.now();
    long bytes = 0;
    for (KernelCache.Item item : items) {
      bytes += item.bytes();
      out.printf(
          Locale.ROOT,
          "%-12s  %10s  %s%n",
          age(Duration.between(item.used(), now)),
          kibibytes(item.bytes()),
          item.problem() == null
              ? plain(item.label())
              : item.file() + ", of no use: " + plain(item.problem()));
    }
    out.println(count(items.size()) + ", " + kibibytes(bytes) + ", in " + folder);
    return OK;
  }

  private static int verify(PrintWriter out, List<KernelCache.Item> items, Path folder) {
    int problems = 0;
    for (KernelCache.Item item : items) {
      if (item.problem() != null) {
        problems++;
        out.println(item.file() + ": " + plain(item.problem()));
      }
    }
    String state = problems == 0 ? "all of them sound" : problems + " of no use";
    out.println(count(items.size()) + " in " + folder + ", " + state);
    return problems == 0 ? OK : FAILED;
  }

  private static int empty(PrintWriter out, int removed, Path folder) {
    out.println("removed " + count(removed) + " from " + folder);
    return OK;
  }

  private static String count(int entries) {
    return entries == 1 ? "1 entry" : entries + " entries";
  }

  private static String kibibytes(long bytes) {
    return (bytes + 1023) / 1024 + " KiB";
  }

  /** How long ago something was, in one unit. */
  private static String age(Duration time) {
    if (time.isNegative()) {
      return "in future";
    }
    if (time.toMinutes() < 120) {
      return time.toMinutes() + " min ago";
    }
    return time.toHours() < 48 ? time.toHours() + " h ago" : time.toDays() + " days ago";
  }

  /** Without control characters: names come from bundles. */
  private static String plain(String text) {
    return text.replaceAll("\\p{C}", "?");
  }
}
