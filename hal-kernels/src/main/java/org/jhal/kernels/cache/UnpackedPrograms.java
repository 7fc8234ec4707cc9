// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.kernels.cache.PrivateFolder.UnmadeFolderException;
import org.jhal.kernels.cache.PrivateFolder.UntrustedException;

/**
 * Programs and libraries from a jar, in a folder that only this user can write: unpacked once for
 * all processes. Files that others could have written are refused, since they would be run.
 *
 * <p>Any number of processes may unpack the same files at once: each writes them into a folder of
 * its own, which is then renamed. Thread-safe.
 */
public final class UnpackedPrograms {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  /** What is to be unpacked. */
  @FunctionalInterface
  public interface Content {
    /** Opens the content of a file; the caller closes it. */
    InputStream open(String file) throws IOException;
  }

  private UnpackedPrograms() {}

  /**
   * Unpacks the files, unless that was done before.
   *
   * @param folder an absolute path, whose last name is for these very files: they are never changed
   * @param files their names in the folder
   * @throws IOException if the folder or a file in it could have been written by other users, which
   *     the message says, or if it cannot be made, read or written
   */
  public static void unpack(Path folder, List<String> files, Content content) throws IOException {
    unpack(folder, files, content, PrivateFolder.Access.OURS);
  }

  /** As above; tests name another owner. */
  static void unpack(Path folder, List<String> files, Content content, PrivateFolder.Access access)
      throws IOException {
    Path parent = folder.getParent();
    if (parent == null) {
      throw new IOException(folder + " is no folder for programs");
    }
    try (PrivateFolder unused = PrivateFolder.make(parent, access)) {
      if (!Files.exists(folder)) {
        write(parent, folder, files, content);
      }
    } catch (UntrustedException e) {
      throw untrusted(parent, e);
    } catch (UnmadeFolderException e) {
      throw new IOException("the folder " + parent + " cannot be made: " + e.getCause(), e);
    }
    check(folder, files, access);
  }

  private static void check(Path folder, List<String> files, PrivateFolder.Access access)
      throws IOException {
    Path checked = folder;
    try (PrivateFolder open = PrivateFolder.open(folder, access)) {
      for (String file : files) {
        checked = folder.resolve(file);
        var unused = open.attributes(file);
      }
    } catch (UntrustedException e) {
      throw untrusted(checked, e);
    } catch (NoSuchFileException e) {
      throw new IOException(checked + " is missing; delete the folder " + folder, e);
    }
  }

  private static IOException untrusted(Path path, UntrustedException e) {
    return new IOException(path + " cannot be trusted: " + e.getMessage() + "; delete it", e);
  }

  private static void write(Path parent, Path folder, List<String> files, Content content)
      throws IOException {
    Path made = Files.createTempDirectory(parent, "unpacking");
    try {
      for (String file : files) {
        Path target = made.resolve(file);
        try (InputStream in = content.open(file)) {
          Files.copy(in, target);
        }
        Files.setPosixFilePermissions(target, OWNER_ONLY);
      }
      Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException
        | FileAlreadyExistsException
        | DirectoryNotEmptyException e) {
      if (!Files.isDirectory(folder)) { // else another process was faster
        throw e;
      }
    } finally {
      delete(made);
    }
  }

  /** Deletes what was not renamed. */
  private static void delete(Path made) throws IOException {
    if (!Files.exists(made)) {
      return;
    }
    try (Stream<Path> files = Files.list(made)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(made);
  }
}
