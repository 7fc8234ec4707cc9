// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jhal.fuzz.Fuzz;
import org.junit.jupiter.api.Test;

/** AMD's code objects, which are read before a runtime loads them. */
class CodeObjectFuzzTest {
  private static final int NOTE = 64 + 56;

  @Test
  void codeObjects() throws Exception {
    new Fuzz(
            "code-object",
            List.of(file("amdgcn-amd-amdhsa--gfx90a:xnack-"), file("amdgcn-amd-amdhsa--gfx942")),
            List.of("\177ELF", "AMDGPU\0", "amdhsa.kernels", "amdhsa.target", ".args", ".offset"))
        .run(50_000, input -> CodeObject.read(input, "a.hsaco"));
  }

  /** A file with one segment, which has the note of the metadata, and one section behind it. */
  private static byte[] file(String target) {
    byte[] metadata = metadata(target);
    int padded = (metadata.length + 3) / 4 * 4;
    int length = 12 + 8 + padded;
    ByteBuffer file = ByteBuffer.allocate(NOTE + length + 64).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {0x7F, 'E', 'L', 'F', 2, 1, 1, 64, 2});
    file.putShort(16, (short) 3).putShort(18, (short) 224);
    file.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
    file.putLong(40, NOTE + length).putShort(58, (short) 64).putShort(60, (short) 1);
    file.putInt(64, 4).putLong(64 + 8, NOTE).putLong(64 + 32, length);
    file.position(NOTE).putInt(7).putInt(metadata.length).putInt(32);
    file.put("AMDGPU\0\0".getBytes(StandardCharsets.US_ASCII)).put(metadata);
    return file.array();
  }

  /** In MessagePack, the target, and a kernel with one argument of its own and a hidden one. */
  private static byte[] metadata(String target) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0x82);
    text(out, "amdhsa.target");
    text(out, target);
    text(out, "amdhsa.kernels");
    out.write(0x91);
    out.write(0x82);
    text(out, ".name");
    text(out, "saxpy");
    text(out, ".args");
    out.write(0x92);
    argument(out, 0, "by_value");
    argument(out, 24, "hidden_block_count_x");
    return out.toByteArray();
  }

  private static void argument(ByteArrayOutputStream out, int offset, String kind) {
    out.write(0x83);
    text(out, ".offset");
    out.write(offset);
    text(out, ".size");
    out.writeBytes(new byte[] {(byte) 0xd2, 0, 0, 0, 4});
    text(out, ".value_kind");
    text(out, kind);
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.write(0xd9);
    out.write(text.length());
    out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }
}
