// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The runtime that was compiled when this driver was built, if there was a compiler. */
public final class PrebuiltRuntime {
  private PrebuiltRuntime() {}

  /** The name of the file beside this class, for a kind of processor such as {@code x86_64}. */
  public static String fileName(String kind) {
    return "hal_runtime." + kind + ".so";
  }

  /** The library for a kind of processor; null if none comes with this driver. */
  public static byte @Nullable [] find(String kind) {
    try (InputStream in = PrebuiltRuntime.class.getResourceAsStream(fileName(kind))) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + fileName(kind), e);
    }
  }
}
