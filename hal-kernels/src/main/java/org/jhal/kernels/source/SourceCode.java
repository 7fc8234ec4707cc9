// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.bundle.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * A source for a run-time compiler, with the files of its bundle to which {@code #include "NAME"}
 * in it, or in one of them, can refer. NAME is searched for beside the file with the directive,
 * then at the root of the bundle. The compilers take the files by NAME as it is written.
 *
 * <p>Ignores conditions, comments and macros, so there may be more files than the compiler needs.
 * The compiler may have the files that the bundle lacks.
 *
 * <p>Uses no lambdas, whose first use in a process takes longer than the rest.
 *
 * @param text the source
 * @param name its name, for the compiler's messages
 * @param headers the included files by NAME
 * @param missing the NAMEs that the bundle has no file for
 * @param provided the NAMEs among the headers that come from JHAL, and may be written {@code
 *     <NAME>}
 */
public record SourceCode(
    String text,
    String name,
    Map<String, String> headers,
    List<String> missing,
    Set<String> provided) {
  /** The maximum size of a source with its includes, in bytes. */
  public static final int MAX_BYTES = 64 << 20;

  /** A directive to follow: the name, and the folder of the file that contains it. */
  private record Include(String name, String folder, String file) {}

  /** A file of the bundle. */
  private record Header(String path, String text) {}

  /** Reads the files that a source includes, each once. */
  private static final class Reader {
    private final ExecutableSource bundle;
    private final String what;
    private final Map<String, @Nullable Header> read = new HashMap<>(); // by path; null: not there
    private final Deque<Include> open = new ArrayDeque<>();
    private int bytesLeft;

    Reader(ExecutableSource bundle, String what, int bytesLeft) {
      this.bundle = bundle;
      this.what = what;
      this.bytesLeft = bytesLeft;
    }

    void addIncludes(String text, String file) {
      String folder = file.substring(0, file.lastIndexOf('/') + 1);
      for (String name : IncludeDirectives.names(text)) {
        open.add(new Include(name, folder, file));
      }
    }

    /** The file that a directive refers to, or null if the bundle has none. */
    @Nullable Header find(Include include) {
      if (!Manifest.isPath(include.name)) {
        return null;
      }
      Header beside = file(include.folder + include.name);
      return beside == null ? file(include.name) : beside;
    }

    private @Nullable Header file(String path) {
      if (!read.containsKey(path)) {
        byte[] utf8 = bundle.read(path, bytesLeft);
        bytesLeft -= utf8 == null ? 0 : utf8.length;
        read.put(path, utf8 == null ? null : new Header(path, text(utf8, path, what)));
      }
      return read.get(path);
    }
  }

  /**
   * The directive that says what messages and {@code __FILE__} call a file, as its first line.
   *
   * @param name may have any characters
   */
  public static String lineOne(String name) {
    String quoted = name.replaceAll("\\p{Cntrl}", "?").replaceAll("([\"\\\\])", "\\\\$1");
    return "#line 1 \"" + quoted + "\"\n";
  }

  /** A source that includes files of its bundle alone. */
  public SourceCode(String text, String name, Map<String, String> headers, List<String> missing) {
    this(text, name, headers, missing, Set.of());
  }

  /**
   * Reads the files that a source includes.
   *
   * @param path of the source in the bundle
   * @param utf8 the source
   * @param what is being loaded, for people
   * @throws HalException INVALID_ARGUMENT if one NAME means two files, a file has a character 0, or
   *     the total exceeds {@link #MAX_BYTES}; DATA_LOSS if reading fails
   */
  public static SourceCode read(ExecutableSource bundle, String path, byte[] utf8, String what) {
    if (utf8.length > MAX_BYTES) {
      throw refused(what, path + " has " + utf8.length + " bytes; it may have " + MAX_BYTES);
    }
    String text = text(utf8, path, what);
    Map<String, String> headers = new TreeMap<>();
    Map<String, String> paths = new HashMap<>(); // of the headers, by NAME
    Set<String> missing = new LinkedHashSet<>();
    Reader reader = new Reader(bundle, what, MAX_BYTES - utf8.length);
    reader.addIncludes(text, path);
    while (!reader.open.isEmpty()) {
      Include next = reader.open.remove();
      Header found = reader.find(next);
      if (found == null) {
        missing.add(next.name);
        continue;
      }
      String before = paths.put(next.name, found.path);
      if (before == null) {
        headers.put(next.name, found.text);
        reader.addIncludes(found.text, found.path);
      } else if (!before.equals(found.path)) {
        throw refused(
            what,
            ("'%s' means '%s' in '%s', and '%s' elsewhere; a compiler takes one file of a"
                    + " name, so write their folders")
                .formatted(next.name, found.path, next.file, before));
      }
    }
    return new SourceCode(text, path, headers, List.copyOf(missing));
  }

  private static HalException refused(String what, String why) {
    return new HalException(Status.INVALID_ARGUMENT, "cannot compile " + what + ": " + why);
  }

  /** The text for the compiler, which a character 0 would end. */
  private static String text(byte[] utf8, String path, String what) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    int zero = text.indexOf('\0');
    if (zero >= 0) {
      int line = 1;
      for (int i = 0; i < zero; i++) {
        line += text.charAt(i) == '\n' ? 1 : 0;
      }
      throw refused(what, "there is a character 0 in line " + line + " of " + path);
    }
    return text;
  }

  /**
   * The source with those files of JHAL that it includes and the bundle lacks.
   *
   * @param files their texts by NAME; they include nothing
   */
  public SourceCode with(Map<String, String> files) {
    Set<String> included = new LinkedHashSet<>(missing);
    included.addAll(IncludeDirectives.angled(text));
    for (String header : headers.values()) {
      included.addAll(IncludeDirectives.angled(header));
    }
    Map<String, String> all = new TreeMap<>(headers);
    Set<String> found = new LinkedHashSet<>();
    for (String include : included) {
      String file = files.get(include);
      if (file != null && !headers.containsKey(include)) {
        all.put(include, file);
        found.add(include);
      }
    }
    if (found.isEmpty()) {
      return this;
    }
    List<String> still = new ArrayList<>(missing);
    still.removeAll(found);
    return new SourceCode(text, name, all, still, found);
  }

  /** A compiler's log, with a hint if it names an include file that the bundle lacks. */
  public String withHint(String log) {
    List<String> named = missing.stream().filter(log::contains).toList();
    return named.isEmpty()
        ? log
        : log + "\n(The bundle has no file for #include of '" + String.join("', '", named) + "'.)";
  }

  /** Whether its code depends on it, the options and the compiler alone. */
  public boolean isSelfContained(List<String> options) {
    if (!missing.isEmpty() || !SelfContained.test(withoutIncludes(text), options)) {
      return false;
    }
    for (Map.Entry<String, String> header : headers.entrySet()) {
      if (!provided.contains(header.getKey())
          && !SelfContained.test(withoutIncludes(header.getValue()), options)) {
        return false;
      }
    }
    return true;
  }

  private String withoutIncludes(String of) {
    return headers.isEmpty() ? of : IncludeDirectives.removedFrom(of, provided);
  }
}
