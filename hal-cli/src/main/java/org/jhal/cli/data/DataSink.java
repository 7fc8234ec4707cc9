package org.jhal.cli.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An output file in the making. What was there before stays until {@link #commit()}.
 *
 * <p>For one thread.
 */
public interface DataSink extends Closeable {
  /** Appends the remaining bytes of {@code source}, in native byte order. */
  void write(ByteBuffer source) throws IOException;

  /** Puts the file in its place, once everything is written. */
  void commit() throws IOException;

  /** Gives up; if it was not committed, nothing stays behind. */
  @Override
  void close() throws IOException;
}
