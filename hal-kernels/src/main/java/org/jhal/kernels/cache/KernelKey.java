// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Everything that compiled code depends on, as a list of texts.
 *
 * <p>Each text is encoded with its length before it, so different lists have different encodings.
 * An entry holds the whole encoding, which is compared byte by byte; the hash only names the file.
 *
 * <p>Immutable; any thread may use it.
 */
public final class KernelKey {
  private final byte[] encoded;

  KernelKey(byte[] encoded) {
    this.encoded = encoded.clone();
  }

  /** A key of these texts, in this order. */
  public static KernelKey of(List<String> texts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String text : texts) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(utf8.length).array());
      bytes.writeBytes(utf8);
    }
    return new KernelKey(bytes.toByteArray());
  }

  byte[] encoded() {
    return encoded.clone();
  }

  /** The SHA-256 of the encoding, in lower-case hexadecimal digits. */
  String hash() {
    return HexFormat.of().formatHex(sha256().digest(encoded));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each Java has SHA-256", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelKey key && Arrays.equals(encoded, key.encoded);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encoded);
  }

  @Override
  public String toString() {
    return "key " + hash();
  }
}
