// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jhal.ElementType;

/** Writes arrays for NumPy, of one dimension. */
final class NpyFile {
  private static final int ALIGNMENT = 64;

  private NpyFile() {}

  static void write(Path file, ElementType type, byte[] elements) throws IOException {
    char order =
        type.bytes() == 1 || type == ElementType.BF16
            ? '|'
            : ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? '<' : '>';
    char kind = type == ElementType.BF16 ? 'V' : type.label().charAt(0); // NumPy has no bf16
    String header =
        "{'descr': '%s%s%s', 'fortran_order': False, 'shape': (%s,), }"
            .formatted(order, kind, type.bytes(), elements.length / type.bytes());
    int length = 10 + header.length() + 1;
    int padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header = header + " ".repeat(padded - length) + "\n";
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
      out.write(header.length() & 0xFF);
      out.write(header.length() >> 8);
      out.write(header.getBytes(StandardCharsets.US_ASCII));
      out.write(elements);
    }
  }
}
