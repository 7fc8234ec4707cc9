// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.jhal.kernels.cache.CacheEntry.DamagedEntryException;
import org.jspecify.annotations.Nullable;

/**
 * An open folder, and its files, that only this user can write.
 *
 * <p>The folder is opened first and then examined through its handle, so that it cannot be
 * exchanged in between. It must belong to the user of this process, must not be a symbolic link,
 * and the group and others must not have the right to write. (A mode without rights for the group
 * also switches off access control lists.) From then on only this user can change its content. Each
 * file is reached through the open folder by its name, without following links. A file is read only
 * if it is regular, belongs to the user, and cannot be written by the group and others.
 *
 * <p>The user and root are trusted.
 *
 * <p>Not thread-safe; to be closed after a few calls.
 */
record PrivateFolder(Path path, UserPrincipal user, Access access, SecureDirectoryStream<Path> open)
    implements Closeable {
  /** The suffix of files that are being written. */
  static final String UNFINISHED = ".tmp";

  private static final Set<PosixFilePermission> OTHERS_WRITE =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  /** Another user may have written a folder or a file; the message says why. */
  static final class UntrustedException extends IOException {
    private static final long serialVersionUID = 1L;

    UntrustedException(String reason) {
      super(reason);
    }
  }

  /** The folder is missing and cannot be made; the cause says why. */
  static final class UnmadeFolderException extends IOException {
    private static final long serialVersionUID = 1L;

    UnmadeFolderException(IOException cause) {
      super(cause);
    }
  }

  /**
   * How files are reached; tests replace it.
   *
   * @param owner the required owner of folder and files; null for the user of this process
   * @param wrapper wraps the channels for writing; null for none
   */
  record Access(
      @Nullable UserPrincipal owner, @Nullable UnaryOperator<SeekableByteChannel> wrapper) {
    static final Access OURS = new Access(null, null);

    private UserPrincipal user() throws IOException {
      if (owner != null) {
        return owner;
      }
      try {
        return Files.getOwner(Path.of("/proc/self"));
      } catch (IOException | UnsupportedOperationException e) {
        throw new IOException("the owner of this process is unknown", e);
      }
    }

    private SeekableByteChannel writing(SeekableByteChannel channel) {
      return wrapper == null ? channel : wrapper.apply(channel);
    }
  }

  /**
   * Opens a folder, and makes it if necessary.
   *
   * @throws UnmadeFolderException if it cannot be made
   * @throws IOException as {@link #open}
   */
  static PrivateFolder make(Path path, Access access) throws IOException {
    access.user(); // first: a system without it may not have permissions either
    if (!Files.isDirectory(path)) {
      try {
        Files.createDirectories(path, mode("rwx------"));
      } catch (IOException e) {
        throw new UnmadeFolderException(e);
      }
    }
    return open(path, access);
  }

  /**
   * Opens a folder.
   *
   * @throws NoSuchFileException if there is none
   * @throws UntrustedException if other users could have written to it
   * @throws IOException if it cannot be read or examined
   */
  static PrivateFolder open(Path path, Access access) throws IOException {
    UserPrincipal user = access.user();
    DirectoryStream<Path> stream = Files.newDirectoryStream(path);
    boolean isOpen = false;
    try {
      if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
        throw new IOException("this system has no safe access to folders");
      }
      PosixFileAttributes is =
          secure.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
      PosixFileAttributes named =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!named.isDirectory() || !Objects.equals(named.fileKey(), is.fileKey())) {
        throw new UntrustedException("it is a symbolic link");
      }
      check(is, user);
      PrivateFolder made = new PrivateFolder(path, user, access, secure);
      isOpen = true;
      return made;
    } finally {
      if (!isOpen) {
        stream.close();
      }
    }
  }

  private static void check(PosixFileAttributes is, UserPrincipal user) throws UntrustedException {
    if (!is.owner().equals(user)) {
      throw new UntrustedException(
          "it belongs to " + is.owner().getName() + ", not to " + user.getName());
    }
    if (!Collections.disjoint(is.permissions(), OTHERS_WRITE)) {
      throw new UntrustedException(
          "it can be written by others; its mode is "
              + PosixFilePermissions.toString(is.permissions()));
    }
  }

  private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    // Opened again, as a stream can be iterated only once.
    try (DirectoryStream<Path> listing =
        open.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS)) {
      listing.forEach(file -> names.add(file.getFileName().toString()));
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }

  /** The attributes of a file, link or folder. */
  PosixFileAttributes look(String name) throws IOException {
    return open.getFileAttributeView(
            Path.of(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes();
  }

  /**
   * The attributes of a file.
   *
   * @throws NoSuchFileException if there is none
   * @throws UntrustedException if it must not be read
   */
  PosixFileAttributes attributes(String name) throws IOException {
    PosixFileAttributes is = look(name);
    if (!is.isRegularFile()) {
      throw new UntrustedException(
          "it is a " + (is.isSymbolicLink() ? "symbolic link" : "folder or a device"));
    }
    check(is, user);
    return is;
  }

  /**
   * Reads a file.
   *
   * @throws DamagedEntryException if it is larger than {@code most} bytes
   * @throws IOException as {@link #attributes}, or if it cannot be read
   */
  byte[] read(String name, int most) throws IOException {
    long size = attributes(name).size();
    if (size > most) {
      throw new DamagedEntryException("it has " + size + " bytes, and may have " + most);
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) size);
    Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    try (SeekableByteChannel channel = open.newByteChannel(Path.of(name), options)) {
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        continue;
      }
    }
    if (bytes.hasRemaining()) {
      throw new DamagedEntryException("it became shorter while it was read");
    }
    return bytes.array();
  }

  /**
   * Writes or replaces a file atomically. A symbolic link of this name is replaced, not followed.
   *
   * @param time when it was last used
   */
  void write(String name, byte[] content, FileTime time) throws IOException {
    String unfinished =
        HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) + UNFINISHED;
    Set<OpenOption> options =
        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);
    SeekableByteChannel made = open.newByteChannel(Path.of(unfinished), options, mode("rw-------"));
    try {
      try (SeekableByteChannel channel = access.writing(made)) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      touch(unfinished, time);
      open.move(Path.of(unfinished), open, Path.of(name));
    } catch (IOException | RuntimeException e) {
      try {
        delete(unfinished);
      } catch (IOException undeleted) {
        e.addSuppressed(undeleted); // it is deleted when it is old enough
      }
      throw e;
    }
  }

  /** Deletes a file or a link, not its target. It may be gone already. */
  void delete(String name) throws IOException {
    try {
      open.deleteFile(Path.of(name));
    } catch (NoSuchFileException e) {
      return; // another process was faster
    }
  }

  void touch(String name, FileTime time) throws IOException {
    open.getFileAttributeView(
            Path.of(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setTimes(time, null, null);
  }

  @Override
  public void close() throws IOException {
    open.close();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
