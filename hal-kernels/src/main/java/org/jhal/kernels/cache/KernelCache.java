// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jhal.kernels.cache.CacheEntry.DamagedEntryException;
import org.jhal.kernels.cache.PrivateFolder.UnmadeFolderException;
import org.jhal.kernels.cache.PrivateFolder.UntrustedException;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Keeps compiled kernels in a folder, for this process and others.
 *
 * <p>It only saves time. If the folder or an entry is faulty, {@link #find} finds nothing and
 * {@link #keep} keeps nothing; each reason is logged once. Any number of processes may share a
 * folder without locks: an entry is written under another name and then renamed, is never changed
 * afterwards, and may vanish at any time.
 *
 * <p>When an entry is added, the least recently used ones are removed until the limits are met. The
 * time of a file's last modification is that of its last use, to within an hour. A time in the
 * future comes from a wrong clock; such an entry goes first.
 *
 * <p>Thread-safe.
 */
public final class KernelCache {
  /** The largest total size of all entries. */
  static final long MAX_BYTES = 256L << 20;

  static final int MAX_ENTRIES = 4096;

  static final int MAX_ENTRY_BYTES = 64 << 20;

  private static final System.Logger LOG = System.getLogger(KernelCache.class.getName());
  private static final Pattern ENTRY = Pattern.compile("[0-9a-f]{64}\\.kernel");
  private static final Pattern UNFINISHED = Pattern.compile("[0-9a-f]{16}\\.tmp");

  /** The time after which a use is noted again, and an unfinished file is deleted. */
  private static final Duration WHILE = Duration.ofHours(1);

  private static final int MAX_WARM_UP_BYTES = 64 << 10;
  private static final int MAX_LOGGED = 16;

  /** One for each folder, so that its faults are logged once in a process. */
  private static final Map<Path, KernelCache> CACHES = new ConcurrentHashMap<>();

  private final Path path;
  private final PrivateFolder.Access access;
  private final Clock clock;
  private final long maxBytes;
  private final int maxEntries;
  private final Set<String> logged = ConcurrentHashMap.newKeySet(); // about MAX_LOGGED at most

  /** The file of an entry and its content, which is unusable if there is a problem. */
  record Item(String file, long bytes, Instant used, String label, @Nullable String problem) {}

  private record Candidate(String file, long bytes, Instant used) {}

  /** For tests. */
  KernelCache(Path path, PrivateFolder.Access access, Clock clock, long maxBytes, int maxEntries) {
    this.path = path;
    this.access = access;
    this.clock = clock;
    this.maxBytes = maxBytes;
    this.maxEntries = maxEntries;
  }

  /**
   * The cache in a folder, which is created for the first entry.
   *
   * @param path absolute
   */
  public static KernelCache in(Path path) {
    return CACHES.computeIfAbsent(
        path,
        missing ->
            new KernelCache(
                path, PrivateFolder.Access.OURS, Clock.systemUTC(), MAX_BYTES, MAX_ENTRIES));
  }

  /**
   * The default folder: {@code jhal} in {@code $XDG_CACHE_HOME}, or in {@code .cache} of the user's
   * home. Empty if neither is an absolute path.
   */
  public static Optional<Path> defaultFolder() {
    return defaultFolder(System.getenv("XDG_CACHE_HOME"), System.getProperty("user.home"));
  }

  static Optional<Path> defaultFolder(@Nullable String caches, @Nullable String home) {
    return absolute(caches)
        .or(() -> absolute(home).map(folder -> folder.resolve(".cache")))
        .map(folder -> folder.resolve("jhal"));
  }

  private static Optional<Path> absolute(@Nullable String path) {
    try {
      return Optional.ofNullable(path).map(Path::of).filter(Path::isAbsolute);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** The code under a key; null if there is none that can be trusted. */
  public byte @Nullable [] find(KernelKey key) {
    String file = file(key);
    try {
      return uninterrupted(() -> find(file, key));
    } catch (NoSuchFileException e) {
      return null;
    } catch (DamagedEntryException e) {
      logOnce(
          Level.WARNING,
          "an entry of the kernel cache %s cannot be trusted and is replaced: %s"
              .formatted(path, e.getMessage()));
      return null;
    } catch (IOException | RuntimeException e) {
      unusable(e);
      return null;
    } catch (OutOfMemoryError e) {
      return null; // compiling may need less memory
    }
  }

  private byte[] find(String file, KernelKey key) throws IOException {
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      CacheEntry entry = CacheEntry.decode(read(folder, file));
      if (!entry.key().equals(key)) {
        throw new DamagedEntryException("it is of another key");
      }
      noteUse(folder, file);
      return entry.code();
    }
  }

  private interface Step<T> {
    T run() throws IOException;
  }

  /**
   * Runs a step, again and again as long as an interrupt of this thread closes its file. The thread
   * stays interrupted: only waits end with an interrupt.
   */
  private static <T> T uninterrupted(Step<T> step) throws IOException {
    boolean isInterrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return step.run();
        } catch (ClosedByInterruptException e) {
          if (!Thread.interrupted()) {
            throw e; // by another thread, which has read the status
          }
          isInterrupted = true;
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Reads an entry. A file that others can write spoils this entry only. */
  private static byte[] read(PrivateFolder folder, String file) throws IOException {
    try {
      return folder.read(file, MAX_ENTRY_BYTES);
    } catch (UntrustedException e) {
      throw new DamagedEntryException(String.valueOf(e.getMessage()));
    }
  }

  /** Shortens the first {@link #find} of a process by reading a small entry. Logs nothing. */
  public void warmUp() {
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      for (String file : folder.names()) {
        if (ENTRY.matcher(file).matches() && folder.attributes(file).size() <= MAX_WARM_UP_BYTES) {
          Optional<Item> unused = item(folder, file);
          return;
        }
      }
    } catch (IOException | RuntimeException e) {
      return; // find() reports it
    }
  }

  /**
   * Keeps code under a key, replacing any other.
   *
   * @param label what the code is, for people
   */
  public void keep(KernelKey key, String label, byte[] code) {
    if (code.length > MAX_ENTRY_BYTES) {
      return;
    }
    try {
      byte[] entry = new CacheEntry(key, label, code).encode();
      if (entry.length <= Math.min(maxBytes, MAX_ENTRY_BYTES)) {
        boolean unused =
            uninterrupted(
                () -> {
                  keep(file(key), entry);
                  return true;
                });
      }
    } catch (NoSuchFileException e) {
      return; // another process is emptying the folder
    } catch (IOException | RuntimeException e) {
      unusable(e);
    } catch (OutOfMemoryError e) {
      return; // the caller has the code
    }
  }

  private void keep(String file, byte[] entry) throws IOException {
    try (PrivateFolder folder = PrivateFolder.make(path, access)) {
      folder.write(file, entry, FileTime.from(clock.instant()));
      trim(folder, file);
    }
  }

  private static String file(KernelKey key) {
    return key.hash() + ".kernel";
  }

  private void noteUse(PrivateFolder folder, String file) {
    try {
      long now = clock.millis();
      long noted = folder.attributes(file).lastModifiedTime().toMillis();
      if (Math.abs(now - noted) > WHILE.toMillis()) {
        folder.touch(file, FileTime.fromMillis(now));
      }
    } catch (IOException e) {
      return; // a read-only folder serves, too
    }
  }

  /** Removes entries beyond the limits, except the one just added. */
  private void trim(PrivateFolder folder, String added) throws IOException {
    Instant now = clock.instant();
    List<Candidate> candidates = new ArrayList<>();
    long bytes = 0;
    int entries = 0;
    for (String file : folder.names()) {
      boolean isEntry = ENTRY.matcher(file).matches();
      PosixFileAttributes is = isEntry || isUnfinished(file) ? attributes(folder, file) : null;
      if (is == null) {
        continue;
      }
      Instant used = is.lastModifiedTime().toInstant();
      if (!isEntry) {
        if (Duration.between(used, now).abs().compareTo(WHILE) > 0) {
          folder.delete(file); // its process has ended
        }
        continue;
      }
      entries++;
      bytes += is.size();
      if (!file.equals(added)) {
        candidates.add(new Candidate(file, is.size(), used));
      }
    }
    candidates.sort(
        Comparator.comparing((Candidate one) -> !one.used.isAfter(now))
            .thenComparing(Candidate::used));
    for (Candidate oldest : candidates) {
      if (bytes <= maxBytes && entries <= maxEntries) {
        return;
      }
      folder.delete(oldest.file);
      bytes -= oldest.bytes;
      entries--;
    }
  }

  private static boolean isUnfinished(String file) {
    return UNFINISHED.matcher(file).matches();
  }

  /** Null if the file is gone or not ours. */
  private static @Nullable PosixFileAttributes attributes(PrivateFolder folder, String file)
      throws IOException {
    try {
      return folder.attributes(file);
    } catch (NoSuchFileException | UntrustedException e) {
      return null;
    }
  }

  /**
   * Reads all files with names of entries; the last used comes first.
   *
   * @throws IOException if the folder cannot be used; NoSuchFileException if there is none
   */
  List<Item> items() throws IOException {
    List<Item> items = new ArrayList<>();
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      for (String file : folder.names()) {
        if (ENTRY.matcher(file).matches()) {
          item(folder, file).ifPresent(items::add);
        }
      }
    }
    items.sort(Comparator.comparing(Item::used).reversed().thenComparing(Item::file));
    return items;
  }

  /** Whether the folder is empty or has a file with a name that a cache uses. */
  boolean isCache() throws IOException {
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      List<String> names = folder.names();
      return names.isEmpty()
          || names.stream().anyMatch(file -> ENTRY.matcher(file).matches() || isUnfinished(file));
    }
  }

  private static Optional<Item> item(PrivateFolder folder, String file) {
    long bytes = 0;
    Instant used = Instant.EPOCH;
    try {
      PosixFileAttributes is = folder.look(file);
      bytes = is.size();
      used = is.lastModifiedTime().toInstant();
      CacheEntry entry = CacheEntry.decode(read(folder, file));
      String problem = file.equals(file(entry.key())) ? null : "it is of another key";
      return Optional.of(new Item(file, bytes, used, entry.label(), problem));
    } catch (NoSuchFileException e) {
      return Optional.empty(); // just removed
    } catch (DamagedEntryException e) {
      return Optional.of(new Item(file, bytes, used, "", String.valueOf(e.getMessage())));
    } catch (IOException e) {
      return Optional.of(new Item(file, bytes, used, "", HostFailures.reason(e)));
    }
  }

  /**
   * Removes all entries and unfinished files. Leaves all else alone, even links and folders with
   * such names.
   *
   * @return how many entries there were
   */
  int empty() throws IOException {
    int removed = 0;
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      for (String file : folder.names()) {
        boolean isEntry = ENTRY.matcher(file).matches();
        if ((isEntry || isUnfinished(file)) && attributes(folder, file) != null) {
          folder.delete(file);
          removed += isEntry ? 1 : 0;
        }
      }
    }
    return removed;
  }

  /** Warns about a folder that others can write, and about a configured one that cannot be made. */
  private void unusable(Exception why) {
    boolean isDefault = defaultFolder().equals(Optional.of(path));
    boolean isWrong =
        why instanceof UntrustedException || (why instanceof UnmadeFolderException && !isDefault);
    logOnce(
        isWrong ? Level.WARNING : Level.INFO,
        ("the kernel cache %s cannot be used, so kernels are compiled: %s (cache=off"
                + " does without)")
            .formatted(path, reason(why)));
  }

  /** Without the name of the file, so that each reason is logged once. */
  private static String reason(Exception why) {
    if (why instanceof UntrustedException) {
      return String.valueOf(why.getMessage());
    }
    if (why instanceof UnmadeFolderException) {
      return "the folder cannot be made: "
          + HostFailures.reason(Objects.requireNonNull(why.getCause()));
    }
    if (why instanceof FileSystemException of) {
      String reason = of.getReason();
      return of.getClass().getSimpleName() + (reason == null ? "" : ": " + reason);
    }
    return why.toString();
  }

  private void logOnce(Level level, String message) {
    if (logged.size() < MAX_LOGGED && logged.add(message)) {
      LOG.log(level, message);
    }
  }

  @Override
  public String toString() {
    return "kernel cache " + path;
  }
}
