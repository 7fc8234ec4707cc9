package org.jhal.cpu.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jhal.cpu.translate.Translator;
import org.jhal.driver.dialect.Dialect;

/** The sources in C and C++ that come with this driver. */
public final class Resources {
  private static final List<String> HEADERS =
      List.of(
          "hal_abi.h",
          "hal_coroutine.h",
          "hal_cpu.h",
          "hal_groups.h",
          "hal_item.h",
          "hal_member.h",
          "hal_meet.h",
          "hal_run.h");

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
    StringBuilder all = new StringBuilder();
    for (String header : Dialect.files()) {
      all.append(Dialect.text(header));
    }
    for (String header : HEADERS) {
      all.append(
          new String(read(Translator.class, header), java.nio.charset.StandardCharsets.UTF_8));
    }
    return all.toString();
  }

  /** The source of the runtime. */
  public static byte[] runtime() {
    return read(HalRuntime.class, "hal_runtime.c");
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
