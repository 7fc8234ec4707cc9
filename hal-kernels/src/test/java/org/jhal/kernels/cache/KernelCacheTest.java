// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The folder: keeping and finding code, untrusted content, and unusable folders. */
@Timeout(60)
class KernelCacheTest {
  private static final byte[] CODE = {1, 2, 3};

  /** A time that tests set. */
  private static final class SetClock extends Clock {
    private Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    void pass(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @TempDir private Path temporary;
  private Path folder;
  private KernelCache cache;
  private final SetClock clock = new SetClock();
  private final Log log = new Log();

  @BeforeEach
  void choose() {
    String system = System.getProperty("os.name", "");
    assumeTrue(system.equals("Linux"), () -> "kernels are kept on Linux only, this is " + system);
    folder = temporary.resolve("cache/jhal");
    cache = cache(1 << 20, 100);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private KernelCache cache(long maxBytes, int maxEntries) {
    return new KernelCache(folder, PrivateFolder.Access.OURS, clock, maxBytes, maxEntries);
  }

  private static KernelKey key(String text) {
    return KernelKey.of(List.of(text));
  }

  private Path file(String key) {
    return folder.resolve(key(key).hash() + ".kernel");
  }

  private void keep(String... keys) {
    for (String key : keys) {
      cache.keep(key(key), "label of " + key, CODE);
      clock.pass(Duration.ofSeconds(1));
    }
  }

  private List<String> inFolder() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
  }

  private static void chmod(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private void assertLogged(String... parts) {
    assertEquals(1, log.lines().size(), () -> "once: " + log.lines());
    for (String part : parts) {
      assertTrue(log.lines().get(0).contains(part), () -> part + " in " + log.lines());
    }
  }

  @Test
  void warmingUpReadsAnEntryAndChangesAndLogsNothing() throws IOException {
    cache.warmUp();
    assertFalse(Files.exists(folder));
    keep("a");
    FileTime noted = Files.getLastModifiedTime(file("a"));
    clock.pass(Duration.ofDays(1));
    cache.warmUp();
    assertEquals(noted, Files.getLastModifiedTime(file("a")));
    Files.write(file("a"), new byte[] {1});
    cache.warmUp();
    chmod(folder, "rwxrwxrwx");
    cache.warmUp();
    assertEquals(List.of(), log.lines());
    assertNull(cache.find(key("a")));
    assertLogged("can be written by others");
  }

  @Test
  void keptCodeIsFound() throws IOException {
    assertNull(cache.find(key("a")));
    keep("a", "b");
    assertArrayEquals(CODE, cache.find(key("a")));
    assertNull(cache.find(key("c")));
    cache.keep(key("a"), "label", new byte[0]);
    assertArrayEquals(new byte[0], cache.find(key("a")));
    assertEquals(2, inFolder().size());
    assertEquals(List.of(), log.lines());
  }

  @Test
  void onlyTheUserCanReadAndWriteTheCache() throws IOException {
    keep("a");
    assertEquals("rwx------", mode(folder));
    assertEquals("rwx------", mode(temporary.resolve("cache")), "the folders above it");
    assertEquals("rw-------", mode(file("a")));
  }

  @Test
  void aDamagedEntryIsRejectedAndReplaced() throws IOException {
    keep("a");
    byte[] sound = Files.readAllBytes(file("a"));
    List<byte[]> damages = new ArrayList<>();
    for (int length : new int[] {0, 1, 40, sound.length - 1}) {
      damages.add(java.util.Arrays.copyOf(sound, length));
    }
    byte[] flipped = sound.clone();
    flipped[sound.length - 1] ^= 1;
    damages.add(flipped);
    for (byte[] damage : damages) {
      Files.write(file("a"), damage);
      assertNull(cache.find(key("a")), damage.length + " bytes");
      keep("a");
      assertArrayEquals(CODE, cache.find(key("a")));
    }
    assertTrue(
        log.lines()
            .get(0)
            .startsWith(
                "WARNING an entry of the kernel cache "
                    + folder
                    + " cannot be trusted and is replaced: "),
        log.lines()::toString);
  }

  @Test
  void anEntryOfAnotherKeyIsNotTrusted() throws IOException {
    keep("a");
    Files.copy(file("a"), file("b"));
    chmod(file("b"), "rw-------");
    assertNull(cache.find(key("b")));
    assertLogged("WARNING", "another key");
    assertEquals("it is of another key", cache.items().get(0).problem());
  }

  @Test
  void anEntryThatIsTooLargeIsNotRead() throws IOException {
    keep("a");
    try (SeekableByteChannel channel =
        Files.newByteChannel(file("a"), java.nio.file.StandardOpenOption.WRITE)) {
      channel.position(1L << 40).write(ByteBuffer.wrap(CODE)); // a sparse file
    }
    assertNull(cache.find(key("a")));
    assertLogged("it has 1099511627779 bytes, and may have 67108864");
  }

  @Test
  void aLinkIsReplacedRatherThanFollowed() throws IOException {
    keep("a");
    Path elsewhere = Files.move(file("a"), temporary.resolve("elsewhere"));
    Files.createSymbolicLink(file("a"), elsewhere);
    assertNull(cache.find(key("a")));
    assertLogged("WARNING", "symbolic link");
    byte[] before = Files.readAllBytes(elsewhere);
    cache.keep(key("a"), "label", new byte[] {9});
    assertArrayEquals(new byte[] {9}, cache.find(key("a")));
    assertArrayEquals(before, Files.readAllBytes(elsewhere), "the target of the link");
  }

  @Test
  void aFolderInPlaceOfAnEntryIsLeftAlone() throws IOException {
    Files.createDirectories(file("a").resolve("inside"));
    chmod(folder, "rwx------");
    assertNull(cache.find(key("a")));
    keep("a");
    assertNull(cache.find(key("a")));
    assertTrue(Files.isDirectory(file("a").resolve("inside")));
    assertEquals(1, inFolder().size(), "nothing unfinished is left");
    keep("b");
    assertArrayEquals(CODE, cache.find(key("b")));
    assertEquals(1, cache.empty());
    assertTrue(Files.isDirectory(file("a")));
  }

  @Test
  void anEntryThatOthersCanWriteIsNotTrusted() throws IOException {
    for (String mode : List.of("rw--w----", "rw-----w-")) {
      keep("a");
      chmod(file("a"), mode);
      assertNull(cache.find(key("a")), mode);
      keep("a");
      assertArrayEquals(CODE, cache.find(key("a")), "it is replaced");
      assertEquals("rw-------", mode(file("a")));
    }
    assertEquals(
        "WARNING an entry of the kernel cache "
            + folder
            + " cannot be trusted and is replaced: it can be written by others; its mode is rw--w----",
        log.lines().get(0));
  }

  @Test
  void aFolderThatOthersCanWriteIsNotUsed() throws IOException {
    keep("a");
    for (String mode : List.of("rwx-w----", "rwxrwxrwx")) {
      chmod(folder, mode);
      assertNull(cache.find(key("a")));
      keep("b");
      assertFalse(Files.exists(file("b")));
    }
    assertEquals(2, log.lines().size(), "once for each reason");
    assertTrue(
        log.lines()
            .get(0)
            .contains("WARNING the kernel cache " + folder + " cannot be used, so kernels are"),
        log.lines()::toString);
    assertTrue(log.lines().get(0).contains("its mode is rwx-w----"), log.lines()::toString);
    chmod(folder, "rwxr-xr-x");
    assertArrayEquals(CODE, cache.find(key("a")), "other readers do no harm");
  }

  /** Injects the user, as only root can give files to others. */
  @Test
  void anotherUsersFolderIsNotUsed() throws IOException {
    keep("a");
    UserPrincipal owner = Files.getOwner(folder);
    String other = owner.getName().equals("root") ? "daemon" : "root";
    UserPrincipal user =
        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(other);
    KernelCache theirs =
        new KernelCache(
            folder, new PrivateFolder.Access(user, channel -> channel), clock, 1 << 20, 100);
    assertNull(theirs.find(key("a")));
    theirs.keep(key("b"), "label", CODE);
    assertFalse(Files.exists(file("b")));
    assertLogged("WARNING", "it belongs to " + owner.getName() + ", not to " + other);
  }

  @Test
  void anotherUsersEntryIsNotTrusted() throws IOException {
    assumeTrue(
        Files.getOwner(Path.of("/proc/self")).getName().equals("root"),
        "only root can give a file to another user");
    keep("a");
    Files.setOwner(
        file("a"),
        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("daemon"));
    assertNull(cache.find(key("a")));
    assertLogged("WARNING", "belongs to daemon, not to root");
    keep("a");
    assertArrayEquals(CODE, cache.find(key("a")), "it is replaced");
  }

  @Test
  void aFolderThatIsALinkIsNotUsed() throws IOException {
    keep("a");
    Path elsewhere = Files.move(folder, temporary.resolve("elsewhere"));
    Files.createSymbolicLink(folder, elsewhere);
    assertNull(cache.find(key("a")));
    keep("b");
    assertLogged("WARNING", "it is a symbolic link");
    Files.delete(folder);
    Files.createSymbolicLink(folder, temporary.resolve("nowhere"));
    keep("b");
    assertFalse(Files.exists(temporary.resolve("nowhere")));
  }

  /** A folder above may be a link, since many have their caches on another disk. */
  @Test
  void aLinkOnTheWayIsFollowed() throws IOException {
    Path disk = Files.createDirectory(temporary.resolve("disk"));
    Files.createSymbolicLink(temporary.resolve("cache"), disk);
    keep("a");
    assertArrayEquals(CODE, cache.find(key("a")));
    assertTrue(Files.isDirectory(disk.resolve("jhal")));
  }

  @Test
  void keepsNothingIfTheFolderCannotBeCreated() throws IOException {
    folder = Path.of("/proc/self/jhal"); // not even root can make one there
    cache = cache(1 << 20, 100);
    keep("a", "a", "b");
    assertNull(cache.find(key("a")));
    assertLogged(
        "WARNING the kernel cache /proc/self/jhal cannot be used",
        "the folder cannot be made: ",
        "/proc/self/jhal",
        "cache=off");
    Path file = Files.createFile(temporary.resolve("file"));
    folder = file.resolve("jhal");
    cache = cache(1 << 20, 100);
    keep("a", "b");
    assertNull(cache.find(key("a")));
  }

  @Test
  void aReadOnlyFolderStillServes() throws IOException {
    keep("a");
    KernelCache readOnly = failing("Read-only file system", 0);
    clock.pass(Duration.ofDays(2));
    assertArrayEquals(CODE, readOnly.find(key("a")));
    readOnly.keep(key("b"), "label", CODE);
    assertNull(readOnly.find(key("b")));
    assertLogged("INFO", "Read-only file system");
  }

  @Test
  void aFullDiskLeavesNothingUnfinished() throws IOException {
    keep("a");
    KernelCache full = failing("No space left on device", 10);
    full.keep(key("b"), "label", CODE);
    full.keep(key("a"), "label", new byte[] {7});
    assertNull(full.find(key("b")));
    assertArrayEquals(CODE, full.find(key("a")), "the entry from before");
    assertEquals(1, inFolder().size());
    assertLogged("INFO", "No space left on device");
  }

  /** The same on a real disk, if one can be mounted: a small full one, then a read-only one. */
  @Test
  void aFullOrReadOnlyDiskFailsNoCall() throws Exception {
    Path disk = Files.createDirectory(temporary.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk.toString()),
        "this process may not mount a small disk; the injected ones show the same");
    try {
      folder = disk.resolve("jhal");
      cache = cache(1 << 20, 100);
      keep("a");
      cache.keep(key("b"), "label", new byte[1 << 16]);
      assertLogged("INFO", "No space left on device");
      assertEquals(List.of(file("a").getFileName().toString()), inFolder());
      assertTrue(run("mount", "-o", "remount,ro", disk.toString()));
      clock.pass(Duration.ofDays(2));
      assertArrayEquals(CODE, cache.find(key("a")));
      cache.keep(key("c"), "label", CODE);
      assertNull(cache.find(key("c")));
      cache.keep(key("d"), "label", CODE);
      assertEquals(2, log.lines().size(), () -> "once for each reason: " + log.lines());
      assertTrue(log.lines().get(1).contains("Read-only file system"), log.lines()::toString);
    } finally {
      assertTrue(run("umount", disk.toString()));
    }
  }

  private boolean run(String... command) throws Exception {
    Path output = temporary.resolve("output");
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
    } catch (IOException e) {
      return false; // the command does not exist
    }
    boolean ended = process.waitFor(20, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue(ended, () -> List.of(command) + " does not end");
    return process.exitValue() == 0;
  }

  /** A cache in the same folder, whose disk fails after so many bytes of a file. */
  private KernelCache failing(String reason, int bytes) {
    PrivateFolder.Access access =
        new PrivateFolder.Access(null, channel -> new FullChannel(channel, reason, bytes));
    return new KernelCache(folder, access, clock, 1 << 20, 100);
  }

  private static final class FullChannel implements SeekableByteChannel {
    private final SeekableByteChannel channel;
    private final String reason;
    private int left;

    FullChannel(SeekableByteChannel channel, String reason, int bytes) {
      this.channel = channel;
      this.reason = reason;
      this.left = bytes;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
      if (left == 0) {
        throw new IOException(reason);
      }
      int count = Math.min(left, bytes.remaining());
      int written = channel.write(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + written);
      left -= written;
      return written;
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
      return channel.read(bytes);
    }

    @Override
    public long position() throws IOException {
      return channel.position();
    }

    @Override
    public SeekableByteChannel position(long position) throws IOException {
      channel.position(position);
      return this;
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
      channel.truncate(size);
      return this;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  @Test
  void theLeastRecentlyUsedEntryIsRemovedFirst() throws IOException {
    cache = cache(1 << 20, 3);
    keep("a", "b", "c");
    clock.pass(Duration.ofHours(2));
    assertNotNull(cache.find(key("a")));
    keep("d");
    assertNull(cache.find(key("b")));
    assertNotNull(cache.find(key("a")));
    keep("e");
    assertNull(cache.find(key("c")));
    assertEquals(3, inFolder().size());
  }

  @Test
  void theTotalSizeStaysWithinTheLimit() throws IOException {
    keep("a");
    long one = Files.size(file("a"));
    cache = cache(3 * one, 100);
    keep("b", "c", "d");
    assertEquals(3, inFolder().size());
    assertNull(cache.find(key("a")));
    cache.keep(key("e"), "label", new byte[(int) (3 * one)]);
    assertNull(cache.find(key("e")), "it exceeds the total limit");
    assertEquals(3, inFolder().size(), "it evicts nothing");
    assertEquals(List.of(), log.lines());
  }

  /** A wrong clock must neither keep entries for ever nor evict used ones. */
  @Test
  void entriesFromTheFutureAreRemovedFirst() throws IOException {
    cache = cache(1 << 20, 3);
    keep("a", "b", "c");
    Files.setLastModifiedTime(file("c"), FileTime.from(clock.instant().plus(Duration.ofDays(400))));
    keep("d");
    assertFalse(Files.exists(file("c")));
    clock.pass(Duration.ofDays(-1000)); // set back: all entries are from the future
    assertNotNull(cache.find(key("a")));
    assertEquals(clock.instant(), Files.getLastModifiedTime(file("a")).toInstant());
    keep("e");
    assertTrue(Files.exists(file("a")), "it was used just now");
    assertFalse(Files.exists(file("b")));
    assertTrue(Files.exists(file("d")));
  }

  @Test
  void extremeTimesAreAccepted() throws IOException {
    cache = cache(1 << 20, 2);
    keep("a", "b");
    Files.setLastModifiedTime(file("a"), FileTime.from(Instant.parse("1901-12-14T00:00:00Z")));
    Files.setLastModifiedTime(file("b"), FileTime.from(Instant.parse("2199-01-01T00:00:00Z")));
    assertNotNull(cache.find(key("b")));
    keep("c");
    assertFalse(Files.exists(file("a")));
    assertEquals(2, cache.items().size());
    assertEquals(List.of(), log.lines());
  }

  @Test
  void unfinishedFilesAreRemovedAfterAnHour() throws IOException {
    keep("a");
    Path recent = Files.write(folder.resolve("0123456789abcdef.tmp"), CODE);
    Path old = Files.write(folder.resolve("fedcba9876543210.tmp"), CODE);
    Path notOurs = Files.write(folder.resolve("notes.tmp"), CODE);
    Files.setLastModifiedTime(recent, FileTime.from(clock.instant()));
    for (Path file : List.of(old, notOurs)) {
      Files.setLastModifiedTime(file, FileTime.from(clock.instant().minus(Duration.ofHours(2))));
    }
    keep("b");
    assertTrue(Files.exists(recent));
    assertFalse(Files.exists(old));
    assertTrue(Files.exists(notOurs));
  }

  @Test
  void emptyingRemovesOurFilesOnly() throws IOException {
    keep("a", "b", "c");
    Files.write(file("b"), CODE);
    Path elsewhere = Files.createFile(temporary.resolve("elsewhere"));
    Files.delete(file("c"));
    Files.createSymbolicLink(file("c"), elsewhere);
    Files.write(folder.resolve("0123456789abcdef.tmp"), CODE);
    Files.write(folder.resolve("README"), CODE);
    assertEquals(2, cache.empty());
    assertEquals(
        List.of("README", file("c").getFileName().toString()).stream().sorted().toList(),
        inFolder());
    assertTrue(Files.exists(elsewhere));
  }

  /** An interrupt ends waits and nothing else. */
  @Test
  void anInterruptedThreadFindsAndKeeps() throws IOException {
    keep("a");
    Thread.currentThread().interrupt();
    byte @Nullable [] found = cache.find(key("a"));
    cache.keep(key("b"), "label", CODE);
    assertTrue(Thread.interrupted(), "the interrupt status is kept");
    assertArrayEquals(CODE, found);
    assertEquals(List.of(), log.lines());
    assertArrayEquals(CODE, cache.find(key("b")));
    assertFalse(inFolder().stream().anyMatch(file -> file.endsWith(".tmp")));
  }

  /** Each thread has its own cache, as separate processes do. */
  @Test
  void manyWritersAndReadersSeeWholeEntriesOnly() throws Exception {
    int threads = 4;
    int rounds = 200;
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    CountDownLatch ended = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                KernelCache own = cache(1 << 20, 5);
                try {
                  for (int round = 0; round < rounds; round++) {
                    String name = "key " + (round + number) % 8;
                    byte[] code =
                        name.repeat(500).getBytes(java.nio.charset.StandardCharsets.UTF_8);
                    byte @Nullable [] found = own.find(key(name));
                    if (found != null) {
                      assertArrayEquals(code, found);
                    }
                    own.keep(key(name), name, code);
                  }
                } catch (Throwable t) {
                  failures.add(t);
                } finally {
                  ended.countDown();
                }
              },
              "writer " + i);
      thread.start();
    }
    assertTrue(ended.await(50, TimeUnit.SECONDS), () -> ended.getCount() + " writers do not end");
    assertEquals(List.of(), failures);
    assertEquals(List.of(), log.lines());
    assertTrue(inFolder().size() <= 8);
    assertTrue(cache.items().stream().allMatch(item -> item.problem() == null));
  }

  @Test
  void theDefaultIsInTheUsersCacheFolder() {
    Map<String, Optional<Path>> expected =
        Map.of(
            "/caches,/home/me", Optional.of(Path.of("/caches/jhal")),
            ",/home/me", Optional.of(Path.of("/home/me/.cache/jhal")),
            "relative,/home/me", Optional.of(Path.of("/home/me/.cache/jhal")),
            ",?", Optional.empty());
    expected.forEach(
        (given, folder) -> {
          String[] parts = given.split(",", -1);
          assertEquals(folder, KernelCache.defaultFolder(parts[0], parts[1]), given);
        });
    assertEquals(Optional.empty(), KernelCache.defaultFolder(null, null));
  }
}
