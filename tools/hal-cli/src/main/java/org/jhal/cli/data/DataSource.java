// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jhal.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * The content of an input file, in native byte order. It may be larger than memory, and may be read
 * several times.
 *
 * <p>Not thread-safe.
 */
public interface DataSource extends Closeable {
  /** The type of the elements, or null if the file does not say. */
  @Nullable ElementType type();

  /** The shape, or null if the file does not say. */
  @Nullable Shape shape();

  /** The number of bytes. */
  long bytes();

  /**
   * Reads from byte {@code offset} on until {@code target} is full.
   *
   * @throws IOException if reading fails, or the file has become shorter
   */
  void read(long offset, ByteBuffer target) throws IOException;
}
