// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan.jna;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jhal.gpu.natives.NativeBlock;

/**
 * Memory for the structures of a few calls. What lies in it is valid until {@link #close}.
 *
 * <p>Not thread-safe.
 */
public final class Structs implements AutoCloseable {
  private static final int BYTES = 4096;
  private static final int ALIGNMENT = 8;

  private final NativeBlock block;
  private int end;

  /** Room for a few small structures. */
  public Structs() {
    this(BYTES);
  }

  /** Room for {@code bytes}. */
  public Structs(int bytes) {
    block = new NativeBlock(bytes + ALIGNMENT);
  }

  /** An array or a structure of {@code bytes} zeros, aligned to 8 bytes. */
  public Struct zeros(int bytes) {
    int start = end;
    int next = (start + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (next > block.bytes().capacity()) {
      throw new IllegalStateException(bytes + " bytes do not fit behind " + start);
    }
    end = next;
    return new Struct(block, start, bytes);
  }

  /**
   * A structure of {@code bytes} bytes that begins with its type, VK_STRUCTURE_TYPE_.., and a
   * pointer to the next one of its chain, or 0. Its other members are zeros so far.
   */
  public Struct typed(int type, long next, int bytes) {
    return zeros(bytes).int32(type).int64(next);
  }

  /** The address of a copy of a string. */
  public long text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    Struct copy = zeros(utf8.length + 1);
    copy.bytes().put(utf8);
    return copy.address();
  }

  /** The address of an array of copies of strings; 0 if there are none. */
  public long texts(List<String> texts) {
    if (texts.isEmpty()) {
      return 0;
    }
    Struct array = zeros(ALIGNMENT * texts.size());
    for (String text : texts) {
      array.int64(text(text));
    }
    return array.address();
  }

  /** Ends the use of the memory, which lives at least until then. */
  @Override
  public void close() {
    Reference.reachabilityFence(block);
  }

  /** A structure, whose members are written one after the other, each naturally aligned. */
  public static final class Struct {
    private final NativeBlock block;
    private final int start;
    private final int size;
    private int next;

    private Struct(NativeBlock block, int start, int size) {
      this.block = block;
      this.start = start;
      this.size = size;
      this.next = start;
    }

    /** Its address. */
    public long address() {
      return block.address(start);
    }

    /** Its bytes, in native byte order. */
    public ByteBuffer bytes() {
      return block.bytes().slice(start, size).order(block.bytes().order());
    }

    /** Writes the next member, of 4 bytes. */
    public Struct int32(int value) {
      block.bytes().putInt(place(Integer.BYTES), value);
      return this;
    }

    /** Writes the next member, of 8 bytes. */
    public Struct int64(long value) {
      block.bytes().putLong(place(Long.BYTES), value);
      return this;
    }

    private int place(int bytes) {
      int at = (next + bytes - 1) / bytes * bytes;
      if (at + bytes > start + size) {
        throw new IllegalStateException("the structure has " + size + " bytes only");
      }
      next = at + bytes;
      return at;
    }

    /** Reads 4 bytes. */
    public int int32At(int offset) {
      return block.bytes().getInt(start + offset);
    }

    /** Reads 8 bytes. */
    public long int64At(int offset) {
      return block.bytes().getLong(start + offset);
    }

    /** Reads a string that ends with a zero. */
    public String textAt(int offset) {
      StringBuilder text = new StringBuilder();
      for (int i = start + offset; i < start + size && block.bytes().get(i) != 0; i++) {
        text.append((char) (block.bytes().get(i) & 0xFF));
      }
      return text.toString();
    }
  }
}
