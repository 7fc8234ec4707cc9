// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/** What {@code faults.json} lists. */
public final class Corpus {
  private static final Gson GSON = new Gson();

  private Corpus() {}

  /**
   * A line of the faulty source that takes part in the fault.
   *
   * @param file in the folder of the bundle
   * @param line counted from 1
   * @param text of the line, without the spaces around it
   */
  public record Line(String file, int line, String text) {}

  /**
   * A buffer of a run.
   *
   * @param type in lower case
   * @param shape slowest dimension first
   * @param values what is uploaded ({@link Values}), or null if nothing writes the buffer before
   *     the kernel
   */
  public record Buffer(String type, List<Integer> shape, @Nullable String values) {
    /** The type of the elements. */
    public ElementType element() {
      return ElementType.valueOf(type.toUpperCase(Locale.ROOT));
    }

    /** The number of elements. */
    public int length() {
      return shape.stream().reduce(1, Math::multiplyExact);
    }

    /** What is uploaded, in native byte order, or null. */
    public byte @Nullable [] bytes() {
      return values == null ? null : Values.bytes(element(), length(), values);
    }
  }

  /**
   * A dispatch.
   *
   * @param kernel its name
   * @param groups one to three numbers
   * @param constants numbers, or for a struct a text of its numbers, separated by commas; buffers
   *     have the names of their parameters
   */
  public record Launch(String kernel, List<Integer> groups, Map<String, Object> constants) {
    /** The grid. */
    public Workgroups grid() {
      return new Workgroups(
          groups.get(0),
          groups.size() > 1 ? groups.get(1) : 1,
          groups.size() > 2 ? groups.get(2) : 1);
    }
  }

  /**
   * A fault in a kernel. The bundles are in {@code kernels/NAME/faulty} and {@code
   * kernels/NAME/sound}.
   *
   * @param name of the folder
   * @param more whether it is one of those beyond the forty
   * @param style how the kernel is written
   * @param fault the kind of mistake
   * @param kernel in which the fault shows
   * @param where all lines at one of which a report may point; of a race, those of both accesses
   * @param inManifest whether only the manifests of the twins differ
   * @param gpu what happens on a GPU
   * @param sanitizer the tool of compute-sanitizer that should see it, or "none"
   * @param safeUnchecked whether the faulty kernel can run on a CPU without a check and damage
   *     nothing
   * @param buffers by name of the parameter
   * @param run the dispatches, one after another
   */
  public record KernelFault(
      String name,
      boolean more,
      String style,
      String fault,
      String kernel,
      List<Line> where,
      boolean inManifest,
      String gpu,
      String sanitizer,
      boolean safeUnchecked,
      Map<String, Buffer> buffers,
      List<Launch> run) {
    /** The bundle of one of the twins. */
    public ExecutableSource bundle(Twin twin) {
      return ExecutableSource.ofResources(Corpus.class, folder(twin));
    }

    /** The text of a file of the bundle. */
    public String text(Twin twin, String file) {
      return resource(folder(twin) + "/" + file);
    }

    private String folder(Twin twin) {
      return "kernels/" + name + "/" + twin.folder();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * A fault of order in a program.
   *
   * @param name of the class in {@code org.jhal.faults.order}
   * @param more whether it is one of those beyond the forty
   * @param fault the kind of mistake
   * @param devices how many devices it takes
   * @param first the operation, or the access of the host, that has to come first
   * @param second what does not wait for it
   * @param buffer what both use
   * @param where the line of the source at which the second one is enqueued or happens
   * @param gpu what happens on a GPU
   */
  public record Order(
      String name,
      boolean more,
      String fault,
      int devices,
      String first,
      String second,
      String buffer,
      Line where,
      String gpu) {
    /** A new object of the class. */
    public OrderFault create() {
      try {
        return (OrderFault)
            Class.forName("org.jhal.faults.order." + name).getConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** All faults in kernels, in the order of the file. */
  public static List<KernelFault> kernels() {
    return read("kernels", KernelFault.class);
  }

  /** All faults of order, in the order of the file. */
  public static List<Order> orders() {
    return read("orders", Order.class);
  }

  private static <T> List<T> read(String list, Class<T> type) {
    JsonObject all = JsonParser.parseString(resource("faults.json")).getAsJsonObject();
    return StreamSupport.stream(all.getAsJsonArray(list).spliterator(), false)
        .map(entry -> GSON.fromJson(entry, type))
        .toList();
  }

  private static String resource(String name) {
    try (InputStream in = Corpus.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
