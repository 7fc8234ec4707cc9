// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.Translator;
import org.jhal.driver.support.Lazy;
import org.jhal.kernels.dialect.Dialect;
import org.jspecify.annotations.Nullable;

/** The sources in C and C++ that come with this driver. */
public final class Resources {
  private static final List<String> HEADERS =
      List.of(
          "hal_abi.h",
          "hal_check.h",
          "hal_checked.h",
          "hal_coroutine.h",
          "hal_cpu.h",
          "hal_groups.h",
          "hal_hooks.c",
          "hal_item.h",
          "hal_cast.h",
          "hal_member.h",
          "hal_meet.h",
          "hal_new.h",
          "hal_proofs.h",
          "hal_list.h",
          "hal_lockstep.h",
          "hal_run.h",
          "hal_warps.h",
          "hal_wide.h",
          "hal_owned.h",
          "hal_range.h",
          "hal_rows.h",
          "hal_delayed.h");

  private static final List<String> RUNTIME =
      List.of(
          "hal_runtime.h",
          "hal_checks.c",
          "hal_crew.c",
          "hal_faults.c",
          "hal_library.c",
          "hal_memory.c",
          "hal_pool.c",
          "hal_print.c",
          "hal_thread.c");

  /** Read when first needed, and then kept: each kernel that is loaded has a key. */
  private static final Lazy<String> HEADERS_TEXT = new Lazy<>();

  /** The file of {@link #translator}. */
  public static final String DIGEST = "translator.sha256";

  private Resources() {}

  /** Writes the headers of kernels to a folder. */
  public static void writeHeaders(Path folder) throws IOException {
    for (String header : Dialect.files()) {
      Files.writeString(folder.resolve(header), Dialect.text(header));
    }
    for (String header : HEADERS) {
      Files.write(folder.resolve(header), read(Translator.class, header));
    }
  }

  /** The text of all headers, for the key of what is compiled with them. */
  public static String headers() {
    return HEADERS_TEXT.get(Resources::readHeaders);
  }

  private static String readHeaders() {
    StringBuilder all = new StringBuilder();
    for (String header : Dialect.files()) {
      all.append(Dialect.text(header));
    }
    for (String header : HEADERS) {
      all.append(header(header));
    }
    return all.toString();
  }

  /** The text of one of the headers that are this driver's own. */
  public static String header(String name) {
    return new String(read(Translator.class, name), StandardCharsets.UTF_8);
  }

  /**
   * The digest of the classes that translate and compile, for the key of what they make. Null if
   * the build did not write it; then nothing may be kept, since nobody would notice a change.
   */
  public static @Nullable String translator() {
    try (InputStream in = Translator.class.getResourceAsStream(DIGEST)) {
      return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + DIGEST, e);
    }
  }

  /** Writes the sources of the runtime to a folder, and returns those that are to be compiled. */
  public static List<Path> writeRuntime(Path folder) throws IOException {
    List<Path> compiled = new ArrayList<>();
    for (String source : RUNTIME) {
      Path file = folder.resolve(source);
      Files.write(file, read(HalRuntime.class, source));
      if (source.endsWith(".c")) {
        compiled.add(file);
      }
    }
    return compiled;
  }

  /** The text of the runtime's sources, for the key of what is compiled of them. */
  public static byte[] runtime() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (String source : RUNTIME) {
      all.writeBytes(read(HalRuntime.class, source));
    }
    return all.toByteArray();
  }

  private static byte[] read(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + name, e);
    }
  }
}
