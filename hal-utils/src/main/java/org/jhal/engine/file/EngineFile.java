// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Device;
import org.jhal.DeviceFile;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.EngineThread;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ProgramCode;
import org.jspecify.annotations.Nullable;

/**
 * An open file (rule M9). The user's handle holds the first reference, each operation another one
 * until it is over.
 *
 * <p>Thread-safe. {@link #read} and {@link #write} are for file threads, which are not interrupted:
 * an interrupt would close the channel.
 */
public final class EngineFile extends RefCounted implements DeviceFile {
  private static final System.Logger LOG = System.getLogger(EngineFile.class.getName());

  private final DeviceCore<?> device;
  private final FileChannel channel;
  private final String name; // for messages
  private final boolean isOwn; // opened here, so it is closed with the last reference
  private final boolean isReadable; // may be wrong for a wrapped channel, which does not say
  private final boolean isWritable;
  private final AtomicBoolean isClosed = new AtomicBoolean(); // by the user

  /** The thread that is in {@link #close}, or null. */
  private volatile @Nullable Thread closer;

  // Not private: tests pass channels of their own.
  EngineFile(
      DeviceCore<?> device,
      FileChannel channel,
      String name,
      boolean isOwn,
      boolean isReadable,
      boolean isWritable) {
    this.device = device;
    this.channel = channel;
    this.name = name;
    this.isOwn = isOwn;
    this.isReadable = isReadable;
    this.isWritable = isWritable;
  }

  public static EngineFile open(DeviceCore<?> device, Path path, OpenOption[] options) {
    Objects.requireNonNull(path, "path");
    for (OpenOption option : Objects.requireNonNull(options, "options")) {
      if (Objects.requireNonNull(option, "options") == StandardOpenOption.APPEND) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "file " + path + " cannot be opened with APPEND: operations name positions");
      }
    }
    Set<OpenOption> chosen = Set.copyOf(Arrays.asList(options));
    boolean isWritable = chosen.contains(StandardOpenOption.WRITE);
    boolean isReadable = chosen.contains(StandardOpenOption.READ) || !isWritable;
    String name = "file " + path;
    if (Files.isDirectory(path)) { // opening one for reading succeeds on some systems
      throw new HalException(Status.FAILED_PRECONDITION, name + " is a folder");
    }
    try {
      FileChannel channel = FileChannel.open(path, chosen);
      return new EngineFile(device, channel, name, true, isReadable, isWritable);
    } catch (IOException | RuntimeException e) {
      throw FileFailures.of(name + " cannot be opened", e);
    }
  }

  public static EngineFile wrap(DeviceCore<?> device, FileChannel channel) {
    Objects.requireNonNull(channel, "channel");
    EngineFile file = new EngineFile(device, channel, "wrapped file channel", false, true, true);
    file.checkOpen();
    return file;
  }

  /** Returns {@code file} as the engine's own type, if it belongs to {@code device} and is open. */
  public static EngineFile of(DeviceCore<?> device, DeviceFile file) {
    Objects.requireNonNull(file, "file");
    if (!(file instanceof EngineFile own) || own.device != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          file
              + " belongs to "
              + Checks.otherThan(device, file instanceof EngineFile other ? other.device : null));
    }
    own.checkOpen();
    return own;
  }

  @Override
  public Device device() {
    return device.view();
  }

  /**
   * Checks that operations may use the file.
   *
   * @throws HalException FAILED_PRECONDITION if it is closed
   */
  void checkOpen() {
    if (isClosed.get() || !channel.isOpen()) {
      throw closed();
    }
  }

  /** Takes a reference for an operation. */
  void retain() {
    if (isClosed.get() || !tryRetain()) {
      throw closed();
    }
  }

  private HalException closed() {
    return new HalException(Status.FAILED_PRECONDITION, name + " is closed");
  }

  /**
   * Checks that the file may be used in this direction.
   *
   * @throws HalException PERMISSION_DENIED if it was opened for the other one
   */
  public void checkAccess(boolean isRead) {
    if (isRead ? !isReadable : !isWritable) {
      throw new HalException(
          Status.PERMISSION_DENIED,
          name
              + " was opened for "
              + (isRead ? "writing, not for reading" : "reading, not for writing"));
    }
  }

  /**
   * Fills {@code target} with the bytes from {@code position} on.
   *
   * @param end where all that the operation reads ends in the file, for messages
   * @throws HalException OUT_OF_RANGE if the file ends before; otherwise see {@link FileFailures}
   */
  void read(ByteBuffer target, long position, long end) {
    long start = position - target.position();
    clearInterrupt();
    Throwable thrown = ProgramCode.thrownBy(() -> fill(target, start, end));
    if (thrown instanceof HalException failure) {
      throw failure;
    }
    if (thrown != null) {
      throw FileFailures.of(
          name + " cannot be read at byte " + (start + target.position()), thrown);
    }
  }

  private void fill(ByteBuffer target, long start, long end) throws IOException {
    while (target.hasRemaining()) {
      if (channel.read(target, start + target.position()) < 0) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            ("%s has %s bytes; it ends before byte %s, where the range that was to be"
                    + " read ends")
                .formatted(name, channel.size(), end));
      }
    }
  }

  /**
   * Writes all of {@code source} from {@code position} on.
   *
   * @throws HalException see {@link FileFailures}
   */
  void write(ByteBuffer source, long position) {
    long start = position - source.position();
    clearInterrupt();
    Throwable thrown = ProgramCode.thrownBy(() -> drain(source, start));
    if (thrown != null) {
      throw FileFailures.of(
          name + " cannot be written at byte " + (start + source.position()), thrown);
    }
  }

  private void drain(ByteBuffer source, long start) throws IOException {
    while (source.hasRemaining()) {
      channel.write(source, start + source.position());
    }
  }

  /** A callback of a user may have interrupted the file thread that it ran on. */
  private static void clearInterrupt() {
    Thread.interrupted();
  }

  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      closer = Thread.currentThread();
      try {
        release();
      } finally {
        closer = null; // the same thread may end an operation later
      }
    }
  }

  /**
   * Closes the channel: in the user's call if no operation uses the file, otherwise on a file
   * thread, since closing may take long.
   */
  @Override
  protected void destroy() {
    if (!isOwn) {
      return;
    }
    Thread current = Thread.currentThread();
    if (closer == current && !(current instanceof EngineThread)) {
      HalException failure = closeChannel();
      if (failure != null) {
        throw failure;
      }
      return;
    }
    try {
      device.pools().fileThreads().execute(this::closeQuietly);
    } catch (RejectedExecutionException e) { // the device is closed, or no thread can be started
      closeQuietly();
    }
  }

  private void closeQuietly() {
    HalException failure = closeChannel();
    if (failure != null) {
      Failures.log(LOG, Level.WARNING, device.name() + ": " + failure.getMessage(), failure);
    }
  }

  private @Nullable HalException closeChannel() {
    try {
      channel.close();
      return null;
    } catch (IOException | RuntimeException e) {
      return FileFailures.of(name + " was closed, with an error", e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
