// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.cache;

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
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.jhal.Status;
import org.jhal.driver.cache.PrivateFolder.UntrustedException;
import org.jhal.spi.HostFailures;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The kernel cache as a command; {@code hal cache} runs it. {@code --help} describes it.
 *
 * <p>Thread-safe.
 */
public final class CacheTool implements ToolProvider {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private static final Pattern VARIABLE = Pattern.compile("JHAL_([A-Z0-9_]+)_CACHE");
  private static final Pattern PROPERTY = Pattern.compile("jhal\\.([a-z0-9-]+)\\.cache");

  private static final String HELP =
      """
      Shows, verifies or empties the folders in which compiled kernels are kept: the default one,
      and those that the setting `cache` of a driver names (JHAL_DRIVER_CACHE, jhal.DRIVER.cache).

      Usage: hal cache [show|verify|empty] [options]

        show          list the entries: when each was last used, its size, and what it is; the default
        verify        read each entry, and report those that are damaged or cannot be trusted
        empty         remove all entries, and nothing else; with several folders, --folder is needed

        --folder DIR  this folder only; `hal info DEVICE` shows that of a device as `cache`
        --help        print this

      Exit codes: 0 success, 1 the folder cannot be used, or verify found something, 2 wrong usage.
      """;

  /** The service loader calls it. */
  public CacheTool() {}

  @Override
  public String name() {
    return "hal-cache";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Shows, verifies or empties the kept compiled kernels.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    String action = null;
    Path folder = null;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--help", "-h" -> {
          out.print(HELP);
          out.flush();
          return OK;
        }
        case "--folder" -> {
          folder = i + 1 < args.length ? absolute(args[i + 1]) : null;
          if (folder == null) {
            return usage(err, "--folder needs the path of a folder");
          }
          i++;
        }
        case "show", "verify", "empty" -> {
          if (action != null) {
            return usage(err, "both '" + action + "' and '" + args[i] + "'");
          }
          action = args[i];
        }
        default -> {
          List<String> known = List.of("show", "verify", "empty", "--folder", "--help");
          return usage(err, "unknown argument '" + args[i] + "'" + Suggestion.of(args[i], known));
        }
      }
    }
    String chosen = action == null ? "show" : action;
    return folder == null ? runAll(out, err, chosen) : run(out, err, chosen, folder);
  }

  private static int runAll(PrintWriter out, PrintWriter err, String action) {
    Map<String, String> properties = new TreeMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      properties.put(name, System.getProperty(name, ""));
    }
    Map<Path, String> folders = new LinkedHashMap<>();
    KernelCache.defaultFolder().ifPresent(folder -> folders.put(folder, "default"));
    named(System.getenv(), properties).forEach(folders::putIfAbsent);
    if (folders.isEmpty()) {
      return usage(err, "neither XDG_CACHE_HOME nor the home is an absolute path; give --folder");
    }
    if (action.equals("empty") && folders.size() > 1) {
      List<String> choices = new ArrayList<>();
      folders.forEach((folder, origin) -> choices.add(folder + " (" + origin + ")"));
      return usage(
          err,
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

  private static @Nullable Path absolute(String folder) {
    Path path = folder.isEmpty() ? null : path(folder);
    return path == null ? null : path.toAbsolutePath();
  }

  private static int usage(PrintWriter err, String message) {
    err.println("hal: INVALID_ARGUMENT: " + message + " (see hal cache --help)");
    err.flush();
    return USAGE;
  }

  private static int run(PrintWriter out, PrintWriter err, String action, Path folder) {
    KernelCache cache = KernelCache.in(folder);
    try {
      if (action.equals("verify") && !cache.isCache()) {
        err.println(
            "hal: FAILED_PRECONDITION: "
                + folder
                + " is no folder of kept kernels: it has other files, and no entry");
        return FAILED;
      }
      return switch (action) {
        case "verify" -> verify(out, cache.items(), folder);
        case "empty" -> empty(out, cache.empty(), folder);
        default -> show(out, cache.items(), folder);
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
