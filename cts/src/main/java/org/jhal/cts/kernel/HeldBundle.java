// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.ExecutableSource;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;

/**
 * The first bundle of the suite's kernels, without its overlays, as resources of a class loader
 * that reads nothing until it is told to: whoever loads the bundle waits for that.
 */
final class HeldBundle extends ClassLoader implements AutoCloseable {
  private static final String FOLDER = "held";

  /** Each loader defines this class for itself. */
  static final class Anchor {}

  private final ExecutableSource original;
  private final Class<?> anchor;
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();

  private HeldBundle(ExecutableSource original) {
    super(HeldBundle.class.getClassLoader());
    this.original = original;
    String name = Anchor.class.getName();
    String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
    try (InputStream in = HeldBundle.class.getResourceAsStream(file)) {
      byte[] code = Objects.requireNonNull(in, file).readAllBytes();
      anchor = defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static HeldBundle of(Cts cts) {
    return cts.closing(new HeldBundle(cts.backend().kernels().get(0)));
  }

  ExecutableSource source() {
    return ExecutableSource.ofResources(anchor, FOLDER);
  }

  /** How many reads have begun. */
  int begun() {
    return begun.get();
  }

  /** Lets all read. */
  void open() {
    gate.countDown();
  }

  @Override
  public @Nullable InputStream getResourceAsStream(String name) {
    int folder = name.indexOf("/" + FOLDER + "/");
    if (folder < 0) {
      return super.getResourceAsStream(name);
    }
    begun.incrementAndGet();
    boolean isOpen = false;
    try {
      isOpen = gate.await(Waits.LIMIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!isOpen) {
      throw new IllegalStateException("the held bundle was not opened within " + Waits.LIMIT);
    }
    byte[] content = original.read(name.substring(folder + FOLDER.length() + 2));
    return content == null ? null : new ByteArrayInputStream(content);
  }

  @Override
  public void close() {
    open();
  }
}
