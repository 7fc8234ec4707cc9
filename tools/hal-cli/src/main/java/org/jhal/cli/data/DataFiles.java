// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Opens files by the ending of their name: {@code .npy} for arrays, {@code .png} for pictures, any
 * other for raw bytes. Other picture formats and archives of arrays, {@code .npz}, are refused,
 * since their raw bytes are hardly ever wanted.
 */
public final class DataFiles {
  private static final List<String> OTHER_PICTURES =
      List.of(".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".heic", ".avif");

  private DataFiles() {}

  /**
   * Opens an input. A picture is decoded at once, anything else is read on demand.
   *
   * @throws HalException NOT_FOUND if there is no such file; PERMISSION_DENIED if it may not be
   *     read; INVALID_ARGUMENT if it is malformed, not a regular file, or has the ending of another
   *     picture format; UNIMPLEMENTED if it is well-formed but not supported, or it is a picture
   *     and this Java cannot decode pictures; DATA_LOSS if reading fails
   */
  public static DataSource open(Path path) {
    checkEnding("input", path);
    try {
      if (Files.exists(path) && !Files.isRegularFile(path)) {
        throw new HalException(
            Status.INVALID_ARGUMENT, "input '" + path + "' is not a regular file");
      }
      if (hasEnding(path, ".png")) {
        requirePictures();
        return new Pixels(Png.decode(Files.readAllBytes(path), path.toString()));
      }
      FileChannel channel = FileChannel.open(path);
      try {
        if (!hasEnding(path, ".npy")) {
          return new FileRegion(channel, 0, channel.size(), null, null);
        }
        NpyHeader header = NpyHeader.read(channel, path.toString());
        checkByteOrder(header.type(), path);
        return new FileRegion(
            channel, header.bytes(), header.dataBytes(), header.type(), header.shape());
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw failure("cannot read '" + path + "'", e);
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "cannot read '" + path + "': it does not fit into memory", e);
    }
  }

  /**
   * Starts an output. Whether it can be written is checked now, but an existing file stays until
   * the output is committed.
   *
   * @param type of the elements
   * @throws HalException INVALID_ARGUMENT if a file with this ending cannot hold such an array, or
   *     it has the ending of another picture format; NOT_FOUND if the folder is missing;
   *     PERMISSION_DENIED if the file may not be written; UNIMPLEMENTED if it has the ending of an
   *     archive of arrays, or it is a picture and this Java cannot encode pictures
   */
  public static DataSink create(Path path, ElementType type, Shape shape) {
    checkEnding("output", path);
    Shape picture = hasEnding(path, ".png") ? pictureShape(path, type, shape) : null;
    try {
      if (Files.isDirectory(path)) {
        throw new HalException(Status.INVALID_ARGUMENT, "output '" + path + "' is a folder");
      }
      if (picture != null) {
        requirePictures();
        return new PictureFile(OutputFile.create(path), picture);
      }
      if (!hasEnding(path, ".npy")) {
        return OutputFile.create(path);
      }
      checkByteOrder(type, path);
      OutputFile file = OutputFile.create(path);
      try {
        file.write(ByteBuffer.wrap(NpyHeader.encode(type, shape)));
        return file;
      } catch (IOException | RuntimeException | Error e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw failure("cannot write '" + path + "'", e);
    }
  }

  /**
   * Starts an output that is written as it is, whatever its ending.
   *
   * @throws HalException as {@link #create}
   */
  public static DataSink createPlain(Path path) {
    try {
      if (Files.isDirectory(path)) {
        throw new HalException(Status.INVALID_ARGUMENT, "output '" + path + "' is a folder");
      }
      return OutputFile.create(path);
    } catch (IOException e) {
      throw failure("cannot write '" + path + "'", e);
    }
  }

  /**
   * Whether two names are of one file, which may not exist yet. A file that exists and is not
   * regular, such as a device, keeps no content that could be overwritten, so the result is false.
   */
  public static boolean isSame(Path one, Path other) {
    try {
      return Files.exists(one)
          ? Files.isRegularFile(one) && Files.exists(other) && Files.isSameFile(one, other)
          : !Files.exists(other) && place(one).equals(place(other));
    } catch (IOException e) {
      return false; // opening the file reports why it cannot be used
    }
  }

  /** The path of a file that does not exist, with all links to its folder resolved. */
  private static Path place(Path missing) throws IOException {
    Path path = missing.toAbsolutePath().normalize();
    Path folder = path.getParent();
    return folder == null ? path : folder.toRealPath().resolve(path.getFileName());
  }

  /** The failure for an exception of the file system, in one line that begins with {@code what}. */
  public static HalException failure(String what, IOException e) {
    if (e instanceof FileAlreadyExistsException) {
      return new HalException(
          Status.DATA_LOSS, what + ": '" + e.getMessage() + "' is in the way", e);
    }
    return HostFailures.of(Status.DATA_LOSS, what, e);
  }

  private static void requirePictures() {
    if (ModuleLayer.boot().findModule("java.desktop").isEmpty()) {
      throw noPictures(null);
    }
  }

  static HalException noPictures(@Nullable Throwable cause) {
    return new HalException(
        Status.UNIMPLEMENTED,
        "PNG files need a Java with the module java.desktop, and that of "
            + System.getProperty("java.home")
            + (cause == null ? " lacks it" : " lacks a part of it (" + cause + ")")
            + "; use .npy or raw files",
        cause);
  }

  private static void checkEnding(String what, Path path) {
    if (hasEnding(path, ".npz")) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          what
              + " '"
              + path
              + "': .npz, an archive of arrays, is not supported; use one .npy file for each array"
              + " (numpy.save)");
    }
    for (String ending : OTHER_PICTURES) {
      if (hasEnding(path, ending)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            what
                + " '"
                + path
                + "': the only picture format is .png; .npy is a NumPy array, and a file with"
                + " another ending, such as .bin, holds raw bytes");
      }
    }
  }

  private static boolean hasEnding(Path path, String ending) {
    return path.toString().toLowerCase(Locale.ROOT).endsWith(ending);
  }

  private static Shape pictureShape(Path path, ElementType type, Shape shape) {
    if (type != ElementType.U8) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "output '" + path + "': a picture has elements of u8, not " + type.label());
    }
    long channels = shape.rank() == 3 ? shape.dimensions().get(2) : 1;
    if (shape.rank() < 2
        || shape.rank() > 3
        || channels < 1
        || channels > 4
        || shape.elements() == 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "output '"
              + path
              + "': a picture has the shape height,width,channels with 1 to 4 channels, not "
              + shape);
    }
    if (shape.elements() > Integer.MAX_VALUE - 16) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "output '" + path + "': shape " + shape + " is too large for a picture");
    }
    return Shape.of(shape.dimensions().get(0), shape.dimensions().get(1), channels);
  }

  private static void checkByteOrder(ElementType type, Path path) {
    if (type.bytes() > 1 && ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new HalException(
          Status.UNIMPLEMENTED, "'" + path + "': .npy files need a little-endian machine");
    }
  }

  private static final class Pixels implements DataSource {
    private final Png.Picture picture;

    Pixels(Png.Picture picture) {
      this.picture = picture;
    }

    @Override
    public ElementType type() {
      return ElementType.U8;
    }

    @Override
    public Shape shape() {
      return picture.shape();
    }

    @Override
    public long bytes() {
      return picture.samples().length;
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      target.put(picture.samples(), Math.toIntExact(offset), target.remaining());
    }

    @Override
    public void close() {}
  }

  /** Collects the samples, since they are compressed as a whole. */
  private static final class PictureFile implements DataSink {
    private final OutputFile file;
    private final Shape shape;
    private byte @Nullable [] samples;
    private int filled;

    PictureFile(OutputFile file, Shape shape) {
      this.file = file;
      this.shape = shape;
    }

    @Override
    public void write(ByteBuffer source) {
      if (samples == null) {
        samples = new byte[Math.toIntExact(shape.elements())];
      }
      int count = source.remaining();
      source.get(samples, filled, count);
      filled += count;
    }

    @Override
    public void commit() throws IOException {
      if (samples == null || filled < samples.length) {
        throw new IllegalStateException("only " + filled + " samples of " + shape);
      }
      file.write(ByteBuffer.wrap(Png.encode(shape, samples)));
      samples = null;
      file.commit();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
