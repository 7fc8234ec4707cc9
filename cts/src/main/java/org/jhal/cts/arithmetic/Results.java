// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Results of functions, for the tuples of their {@link Operands}.
 *
 * @param source where they come from, for people
 * @param bits the bits of each result, by the function's name
 */
public record Results(String source, Map<String, long[]> bits) {
  /** Those of {@code h200.bin}, which a GPU has computed. */
  public static Results measured() throws IOException {
    return resource("h200.bin");
  }

  /** Those of {@code exact.bin}: the exact values, rounded to the nearest. */
  public static Results exact() throws IOException {
    return resource("exact.bin");
  }

  private static Results resource(String name) throws IOException {
    try (InputStream file = Objects.requireNonNull(Results.class.getResourceAsStream(name))) {
      return read(file);
    }
  }

  /** Reads what {@link #write} has written. */
  public static Results read(InputStream from) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(new GZIPInputStream(from)));
    String source = in.readUTF();
    Map<String, long[]> all = new LinkedHashMap<>();
    for (int count = in.readInt(); count > 0; count--) {
      String name = in.readUTF();
      int bytes = in.readByte();
      long[] bits = new long[Operands.COUNT];
      for (int i = 0; i < bits.length; i++) {
        for (int k = 0; k < bytes; k++) {
          bits[i] = bits[i] << 8 | in.readUnsignedByte();
        }
      }
      all.put(name, bits);
    }
    return new Results(source, all);
  }

  /**
   * Writes them in the format of the files: compressed by gzip, the source as {@link
   * DataOutputStream#writeUTF} writes it, the number of functions in 4 bytes, and for each function
   * its name, the number of bytes of a result in one byte, and the results, highest byte first.
   */
  public void write(Iterable<DialectFunction> functions, OutputStream to) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(new GZIPOutputStream(to)))) {
      out.writeUTF(source);
      out.writeInt(bits.size());
      for (DialectFunction function : functions) {
        long[] results = bits.get(function.name());
        if (results != null) {
          out.writeUTF(function.name());
          out.writeByte(function.result().bytes());
          for (long result : results) {
            for (int k = function.result().bytes() - 1; k >= 0; k--) {
              out.writeByte((int) (result >>> 8 * k));
            }
          }
        }
      }
    }
  }
}
