// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a compiler, as part of the key of compiled code: the state of its files, and the
 * environment variables that it reads. Which of several installed compilers it is depends on their
 * files, the name and the architecture alone.
 *
 * <p>This class and the others on the path of a hit use no lambdas, whose first use in a process
 * takes longer than the rest.
 *
 * @param name the compiler's name, and anything else that affects its output
 * @param files the libraries that it consists of
 * @param variables its environment variables
 */
public record CompilerFiles(String name, List<State> files, Map<String, String> variables) {
  /**
   * A file in a certain state.
   *
   * @param path the real path
   * @param bytes the size
   * @param modified when it was modified, in nanoseconds since 1970
   */
  public record State(Path path, long bytes, long modified) {}

  /** Raised when JHAL changes what a key means, such as the options for an architecture. */
  private static final String FORMAT = "compiled source, format 4";

  /** Copies the collections. */
  public CompilerFiles {
    files = List.copyOf(files);
    variables = Map.copyOf(variables);
  }

  /**
   * A compiler in the present state of its files; null if one cannot be read.
   *
   * @param name the compiler's name
   * @param files the libraries that it consists of
   * @param variables prefixes of the environment variables that it reads
   */
  public static @Nullable CompilerFiles now(String name, List<Path> files, List<String> variables) {
    List<State> states = new ArrayList<>();
    for (Path file : files) {
      State state = state(file);
      if (state == null) {
        return null;
      }
      states.add(state);
    }
    Map<String, String> set = new HashMap<>();
    for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
      for (String beginning : variables) {
        if (variable.getKey().startsWith(beginning)) {
          set.put(variable.getKey(), variable.getValue());
        }
      }
    }
    return new CompilerFiles(name, states, set);
  }

  /** The key of a source that this compiler compiles, with the expressions for entry points. */
  KernelKey key(
      SourceCode source, List<String> options, List<String> expressions, String architecture) {
    List<String> texts = new ArrayList<>();
    texts.add(FORMAT);
    texts.add(name);
    texts.add(architecture);
    texts.add(source.name());
    texts.add(source.text());
    texts.add(String.valueOf(source.headers().size()));
    for (Map.Entry<String, String> header : source.headers().entrySet()) { // sorted
      texts.add(header.getKey());
      texts.add(header.getValue());
    }
    texts.add(Native.getDefaultStringEncoding()); // of all texts for the compiler
    texts.add(RuntimeCompiler.STANDARD);
    texts.add(String.valueOf(options.size()));
    texts.addAll(options);
    texts.add(String.valueOf(expressions.size()));
    texts.addAll(expressions);
    texts.add(String.valueOf(files.size()));
    for (State file : files) {
      texts.add(file.path().toString());
      texts.add(String.valueOf(file.bytes()));
      texts.add(String.valueOf(file.modified()));
    }
    for (Map.Entry<String, String> variable : new TreeMap<>(variables).entrySet()) {
      texts.add(variable.getKey());
      texts.add(variable.getValue());
    }
    return KernelKey.of(texts);
  }

  /** The present state of a file; null if there is none. */
  static @Nullable State state(@Nullable Path file) {
    if (file == null) {
      return null;
    }
    try {
      Path real = file.toRealPath();
      BasicFileAttributes is = Files.readAttributes(real, BasicFileAttributes.class);
      return new State(real, is.size(), is.lastModifiedTime().to(TimeUnit.NANOSECONDS));
    } catch (IOException e) {
      return null;
    }
  }
}
