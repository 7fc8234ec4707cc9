package org.jhal.driver.cache;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Keeps compiled kernels in a folder, for this process and others.
 *
 * <p>It only saves time. Whatever is wrong with the folder or with an entry, {@link #find} finds
 * nothing and {@link #keep} keeps nothing; each reason is logged once. Any number of processes may
 * share a folder without locks: an entry is written under another name and then renamed, is never
 * changed afterwards, and may vanish at any time.
 *
 * <p>When an entry is added, those that were not used for the longest time are removed until all
 * together keep within the limits. An entry was last used when its file was last modified, within
 * an hour: a use that is not longer ago than that is not noted again. A time in the future means
 * that a clock was wrong; such an entry goes first.
 *
 * <p>Thread-safe.
 */
public final class KernelCache {
  /** The folder, or none; a driver adds it to the options of its devices. */
  public static final Option<Optional<Path>> OPTION =
      Option.folder("cache", defaultFolder(), "where compiled kernels are kept");

  /** How large all entries together are at most. */
  static final long MAX_BYTES = 256L << 20;

  /** How many entries there are at most. */
  static final int MAX_ENTRIES = 4096;

  /** How large an entry is at most. */
  static final int MAX_ENTRY_BYTES = 64 << 20;

  private static final System.Logger LOG = System.getLogger(KernelCache.class.getName());
  private static final Pattern ENTRY = Pattern.compile("[0-9a-f]{64}\\.kernel");
  private static final Pattern UNFINISHED = Pattern.compile("[0-9a-f]{16}\\.tmp");

  /** A use is noted again, and an unfinished file is given up, after this time. */
  private static final Duration WHILE = Duration.ofHours(1);

  private static final int MAX_REHEARSED_BYTES = 64 << 10;
  private static final int MAX_TOLD = 16;

  /** One for each folder, so that what is wrong with it is logged once in a process. */
  private static final Map<Path, KernelCache> CACHES = new ConcurrentHashMap<>();

  private final Path path;
  private final PrivateFolder.Access access;
  private final Clock clock;
  private final long maxBytes;
  private final int maxEntries;
  private final Set<String> told = ConcurrentHashMap.newKeySet(); // at most about MAX_TOLD

  /** The file of an entry, and what is in it; with a problem it is of no use. */
  record Item(String file, long bytes, Instant used, String label, @Nullable String problem) {}

  private record Candidate(String file, long bytes, Instant used) {}

  /** For tests, with limits, time and access of their own. */
  KernelCache(Path path, PrivateFolder.Access access, Clock clock, long maxBytes, int maxEntries) {
    this.path = path;
    this.access = access;
    this.clock = clock;
    this.maxBytes = maxBytes;
    this.maxEntries = maxEntries;
  }

  /**
   * That of a folder, which is made when the first entry is kept.
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
   * The cache that the settings of a device name; null for none. A folder that cannot be used is no
   * error.
   *
   * @param settings have {@link #OPTION}
   * @throws HalException INVALID_ARGUMENT if a file is named
   */
  public static @Nullable KernelCache of(Settings settings) {
    Optional<Path> folder = settings.get(OPTION);
    if (folder.isEmpty()) {
      return null;
    }
    Path path = folder.get();
    if (!folder.equals(OPTION.defaultValue()) && Files.exists(path) && !Files.isDirectory(path)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "option '"
              + OPTION
              + "' is '"
              + path
              + "' (from "
              + settings.origin(OPTION)
              + "), which is no folder");
    }
    return in(path);
  }

  /**
   * The folder that is used if nobody says otherwise: {@code jhal} in {@code $XDG_CACHE_HOME}, or
   * in {@code .cache} of the user's home. Empty if neither is an absolute path.
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

  /** The code that was kept under a key; null if there is none that can be trusted. */
  public byte @Nullable [] find(KernelKey key) {
    String file = file(key);
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      CacheEntry entry = CacheEntry.decode(read(folder, file));
      if (!entry.key().equals(key)) {
        throw new DamagedEntryException("it is of another key");
      }
      noteUse(folder, file);
      return entry.code();
    } catch (NoSuchFileException | ClosedByInterruptException e) {
      return null; // not there yet; or the thread is interrupted, which is its user's affair
    } catch (DamagedEntryException e) {
      tell(
          Level.WARNING,
          "an entry of the kernel cache "
              + path
              + " cannot be trusted and is replaced: "
              + e.getMessage());
      return null;
    } catch (IOException | RuntimeException e) {
      unusable(e);
      return null;
    } catch (OutOfMemoryError e) {
      return null; // compiling may take less
    }
  }

  /** Reads an entry. If others can write it, that is a matter of this entry alone. */
  private static byte[] read(PrivateFolder folder, String file) throws IOException {
    try {
      return folder.read(file, MAX_ENTRY_BYTES);
    } catch (UntrustedException e) {
      throw new DamagedEntryException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Does with any small entry what {@link #find} does with the wanted one, so that the first call
   * of it in a process takes less time. Changes nothing, and tells nothing, whatever is wrong.
   */
  public void rehearse() {
    try (PrivateFolder folder = PrivateFolder.open(path, access)) {
      for (String file : folder.names()) {
        if (ENTRY.matcher(file).matches()
            && folder.attributes(file).size() <= MAX_REHEARSED_BYTES) {
          Optional<Item> unused = item(folder, file);
          return;
        }
      }
    } catch (IOException | RuntimeException e) {
      return; // find tells it
    }
  }

  /**
   * Keeps code under a key, in place of what is there.
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
        keep(file(key), entry);
      }
    } catch (ClosedByInterruptException e) {
      return; // the thread is interrupted, which is its user's affair
    } catch (IOException | RuntimeException e) {
      unusable(e);
    } catch (OutOfMemoryError e) {
      return; // the code is there all the same
    }
  }

  private void keep(String file, byte[] entry) throws IOException {
    try (PrivateFolder folder = PrivateFolder.make(path, access)) {
      write(folder, file, entry);
      trim(folder, file);
    }
  }

  private void write(PrivateFolder folder, String file, byte[] entry) throws IOException {
    try {
      folder.write(file, entry, FileTime.from(clock.instant()));
    } catch (NoSuchFileException e) {
      return; // somebody empties the folder just now
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
      return; // a folder on a read-only disk serves as well
    }
  }

  /** Removes what is over the limits, but not the entry that was just added. */
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

  /** Null if the file is not ours, or gone. */
  private static @Nullable PosixFileAttributes attributes(PrivateFolder folder, String file)
      throws IOException {
    try {
      return folder.attributes(file);
    } catch (NoSuchFileException | UntrustedException e) {
      return null;
    }
  }

  /**
   * What is in the folder under names of entries, the one that was used last first. Reads all.
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

  /**
   * Whether the folder looks like one of a cache: it is empty, or has something of a cache.
   *
   * @throws IOException if the folder cannot be used; NoSuchFileException if there is none
   */
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
      return Optional.empty(); // removed meanwhile
    } catch (IOException e) {
      return Optional.of(new Item(file, bytes, used, "", String.valueOf(e.getMessage())));
    }
  }

  /**
   * Removes all entries, and what was never finished. Leaves everything else alone: other files,
   * and links and folders under names of entries.
   *
   * @return how many entries there were
   * @throws IOException if the folder cannot be used; NoSuchFileException if there is none
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

  /**
   * Somebody else's folder is a matter to look into, and so is one that somebody has named and that
   * cannot be made; one that cannot be written is not.
   */
  private void unusable(Exception why) {
    boolean isDefault = defaultFolder().equals(Optional.of(path));
    boolean isWrong =
        why instanceof UntrustedException || (why instanceof UnmadeFolderException && !isDefault);
    tell(
        isWrong ? Level.WARNING : Level.INFO,
        "the kernel cache "
            + path
            + " cannot be used, so kernels are compiled: "
            + reason(why)
            + " (cache=off does without)");
  }

  /** Without the name of a file, which is another one each time. */
  private static String reason(Exception why) {
    if (why instanceof UntrustedException) {
      return String.valueOf(why.getMessage());
    }
    if (why instanceof UnmadeFolderException) {
      return "the folder cannot be made: " + why.getCause();
    }
    if (why instanceof FileSystemException of) {
      String reason = of.getReason();
      return of.getClass().getSimpleName() + (reason == null ? "" : ": " + reason);
    }
    return why.toString();
  }

  private void tell(Level level, String message) {
    if (told.size() < MAX_TOLD && told.add(message)) {
      LOG.log(level, message);
    }
  }

  @Override
  public String toString() {
    return "kernel cache " + path;
  }
}
