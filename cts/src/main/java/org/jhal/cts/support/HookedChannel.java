// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file channel that forwards positioned reads and writes to another one, and calls a hook before
 * each of them. Everything that moves the channel's own position is rejected.
 *
 * <p>Thread-safe.
 */
public final class HookedChannel extends FileChannel {
  /** Called before each read or write. */
  @FunctionalInterface
  public interface Hook {
    /**
     * Runs on the thread that reads or writes.
     *
     * @param nth counts the calls from 1
     * @return how many bytes may be moved at most
     * @throws IOException fails the read or write
     */
    int before(int nth) throws IOException;
  }

  /** The hook's result to move all bytes. */
  public static final int ALL = Integer.MAX_VALUE;

  private final FileChannel right;
  private final Hook hook;
  private final AtomicInteger calls = new AtomicInteger();

  /** A channel over {@code right}. Closing it closes {@code right}. */
  public HookedChannel(FileChannel right, Hook hook) {
    this.right = right;
    this.hook = hook;
  }

  /** How many reads and writes have begun. */
  public int calls() {
    return calls.get();
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    ByteBuffer part = part(target);
    int count = right.read(part, position);
    target.position(part.position());
    return count;
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    ByteBuffer part = part(source);
    int count = right.write(part, position);
    source.position(part.position());
    return count;
  }

  private ByteBuffer part(ByteBuffer bytes) throws IOException {
    int most = hook.before(calls.incrementAndGet());
    return bytes.duplicate().limit(bytes.position() + Math.min(most, bytes.remaining()));
  }

  @Override
  public long size() throws IOException {
    return right.size();
  }

  @Override
  protected void implCloseChannel() throws IOException {
    right.close();
  }

  private static UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(what + " of a channel that belongs to a test");
  }

  @Override
  public int read(ByteBuffer target) {
    throw refused("read without a position");
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw refused("read without a position");
  }

  @Override
  public int write(ByteBuffer source) {
    throw refused("write without a position");
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) {
    throw refused("write without a position");
  }

  @Override
  public long position() {
    throw refused("position");
  }

  @Override
  public FileChannel position(long position) {
    throw refused("change of the position");
  }

  @Override
  public FileChannel truncate(long size) {
    throw refused("truncation");
  }

  @Override
  public void force(boolean alsoMetadata) {
    throw refused("force");
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw refused("transferTo");
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw refused("transferFrom");
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw refused("map");
  }

  @Override
  public FileLock lock(long position, long size, boolean isShared) {
    throw refused("lock");
  }

  @Override
  public FileLock tryLock(long position, long size, boolean isShared) {
    throw refused("lock");
  }
}
