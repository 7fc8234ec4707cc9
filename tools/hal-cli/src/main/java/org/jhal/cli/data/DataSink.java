// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An output file that is being written. An existing file stays until {@link #commit()}.
 *
 * <p>Not thread-safe.
 */
public interface DataSink extends Closeable {
  /** Appends the remaining bytes of {@code source}, in native byte order. */
  void write(ByteBuffer source) throws IOException;

  /** Moves the file to its place, when everything is written. */
  void commit() throws IOException;

  /** Closes the file. If it was not committed, nothing stays behind. */
  @Override
  void close() throws IOException;
}
