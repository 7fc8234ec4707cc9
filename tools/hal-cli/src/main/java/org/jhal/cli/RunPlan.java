// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Parameter.Direction;
import org.jhal.Parameter.Kind;
import org.jhal.Status;
import org.jhal.StructValue;
import org.jhal.Workgroups;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSink;
import org.jhal.cli.data.DataSource;
import org.jhal.cli.data.Shape;
import org.jspecify.annotations.Nullable;

/**
 * What a run will do. It is checked completely against the kernel before anything runs: every input
 * is open and fits, every output can be written.
 *
 * <p>Not thread-safe.
 */
final class RunPlan implements AutoCloseable {
  /** The argument for one parameter. */
  sealed interface Binding {}

  /**
   * A number.
   *
   * @param value as {@link org.jhal.Args} takes it
   */
  record Constant(Parameter parameter, Object value) implements Binding {}

  /**
   * A buffer.
   *
   * @param source what fills it, or null to start with zeros
   * @param sink where its content goes, or null if it was not requested
   * @param path of {@code sink}
   */
  record Array(
      Parameter parameter,
      Shape shape,
      @Nullable DataSource source,
      @Nullable DataSink sink,
      @Nullable Path path)
      implements Binding {
    /** The size of the buffer. */
    long bytes() {
      return shape.bytes(parameter.type().bytes());
    }
  }

  private final Kernel kernel;
  private final RunHints hints;
  private final RunArguments arguments;
  private final boolean fillsInputs;
  private final Map<String, DataSource> sources = new HashMap<>();
  private final Map<String, DataSink> sinks = new LinkedHashMap<>();
  private final List<Binding> bindings = new ArrayList<>();
  private Workgroups groups = new Workgroups(0, 0, 0);

  private RunPlan(Kernel kernel, RunHints hints, RunArguments arguments, boolean fillsInputs) {
    this.kernel = kernel;
    this.hints = hints;
    this.arguments = arguments;
    this.fillsInputs = fillsInputs;
  }

  /**
   * Makes a plan from the user's arguments and the manifest's hints, and checks it against the
   * kernel.
   *
   * @param limit the largest grid of the device
   * @param fillsInputs whether inputs that have a shape and no file are zeros
   * @throws HalException if an argument does not fit, is missing or is superfluous
   */
  static RunPlan of(
      Kernel kernel,
      RunHints hints,
      RunArguments arguments,
      Workgroups limit,
      boolean fillsInputs) {
    RunPlan plan = new RunPlan(kernel, hints, arguments, fillsInputs);
    try {
      plan.checkNames();
      plan.bind(limit);
      return plan;
    } catch (RuntimeException e) {
      plan.close();
      throw e;
    }
  }

  /** One binding per parameter, in the kernel's order. */
  List<Binding> bindings() {
    return bindings;
  }

  /** The grid. */
  Workgroups groups() {
    return groups;
  }

  private void checkNames() {
    arguments
        .args()
        .forEach(
            (name, value) -> {
              Parameter parameter = parameter("--arg", name);
              if (parameter.kind() == Kind.BUFFER && parameter.direction() == Direction.OUT) {
                throw invalid("'" + name + "' is an output; write it with --out " + name + "=FILE");
              }
            });
    arguments
        .outs()
        .forEach(
            (name, value) -> {
              Parameter parameter = buffer("--out", name);
              if (!parameter.isWritten()) {
                throw invalid("'" + name + "' is an input, which --out cannot write");
              }
            });
    arguments.shapes().forEach((name, shape) -> buffer("--shape", name));
  }

  private Parameter parameter(String option, String name) {
    for (Parameter parameter : kernel.parameters()) {
      if (parameter.name().equals(name)) {
        return parameter;
      }
    }
    List<String> known = kernel.parameters().stream().map(Parameter::name).toList();
    throw new HalException(
        Status.NOT_FOUND,
        option
            + " '"
            + name
            + "': kernel '"
            + kernel.name()
            + "' has no such parameter; it has "
            + (known.isEmpty() ? "none" : String.join(", ", known)));
  }

  private Parameter buffer(String option, String name) {
    Parameter parameter = parameter(option, name);
    if (parameter.kind() != Kind.BUFFER) {
      String kind = parameter.kind().name().toLowerCase(Locale.ROOT);
      throw invalid("'" + name + "' is a " + kind + ", for which there is no " + option);
    }
    return parameter;
  }

  private void bind(Workgroups limit) {
    Map<String, Number> constants = new HashMap<>();
    Map<String, StructValue> structs = new HashMap<>();
    Map<String, Shape> shapes = new HashMap<>(arguments.shapes());
    for (Parameter parameter : kernel.parameters()) {
      String text = arguments.args().get(parameter.name());
      if (text != null && parameter.kind() == Kind.CONSTANT) {
        constants.put(parameter.name(), Literals.parse(parameter.name(), parameter.type(), text));
      } else if (text != null && parameter.struct() != null) {
        structs.put(parameter.name(), Literals.struct(parameter.name(), parameter.struct(), text));
      } else if (text != null) {
        openSource(parameter, text, shapes);
      }
    }
    HintResolver resolver = new HintResolver(hints, kernel.parameters(), constants, shapes);
    checkComplete(constants, structs, shapes);
    groups = grid(resolver, limit);
    List<Path> outputs = new ArrayList<>();
    for (Parameter parameter : kernel.parameters()) {
      String name = parameter.name();
      if (parameter.kind() == Kind.CONSTANT) {
        bindings.add(new Constant(parameter, present(resolver.constant(name))));
        continue;
      } else if (parameter.kind() == Kind.STRUCT) {
        bindings.add(new Constant(parameter, present(structs.get(name))));
        continue;
      }
      Shape shape = present(resolver.shape(name));
      checkHint(resolver, name, shape);
      shape.bytes(parameter.type().bytes());
      String out = arguments.outs().get(name);
      Path path = out == null ? null : path("--out", name, out);
      if (path != null) {
        checkPlace(path, outputs);
        outputs.add(path);
        sinks.put(name, DataFiles.create(path, parameter.type(), shape));
      }
      bindings.add(new Array(parameter, shape, sources.get(name), sinks.get(name), path));
    }
  }

  /** Checks that no output replaces another one or, unless the user insists, an input. */
  private void checkPlace(Path output, List<Path> others) {
    if (others.stream().anyMatch(other -> DataFiles.isSame(output, other))) {
      throw invalid("two outputs are written to '" + output + "'");
    }
    for (String name : sources.keySet()) {
      String input = String.valueOf(arguments.args().get(name));
      if (!arguments.force() && DataFiles.isSame(output, path("--arg", name, input))) {
        throw invalid(
            "output '"
                + output
                + "' is the input '"
                + name
                + "', '"
                + input
                + "'; --force lets it take its place");
      }
    }
  }

  private static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("a parameter without a value passed the check");
    }
    return value;
  }

  private void openSource(Parameter parameter, String file, Map<String, Shape> shapes) {
    String name = parameter.name();
    Path path = path("--arg", name, file);
    if (!Files.exists(path)) {
      throw new HalException(
          Status.NOT_FOUND,
          "'"
              + name
              + "' is a buffer of "
              + parameter.type().label()
              + " and is read from a file, but there is no such file: '"
              + file
              + "'");
    }
    DataSource source = DataFiles.open(path);
    sources.put(name, source);
    if (source.type() != null && source.type() != parameter.type()) {
      throw invalid(
          "'"
              + name
              + "' has elements of "
              + parameter.type().label()
              + ", but '"
              + file
              + "' has "
              + source.type().label());
    }
    int elementBytes = parameter.type().bytes();
    if (source.bytes() % elementBytes != 0) {
      throw invalid(
          "'"
              + name
              + "': the "
              + source.bytes()
              + " bytes of '"
              + file
              + "' are not a whole number of elements of "
              + parameter.type().label());
    }
    Shape given = shapes.get(name);
    Shape own = source.shape();
    if (given != null
        && (own == null ? given.bytes(elementBytes) != source.bytes() : !own.equals(given))) {
      throw invalid(
          "'"
              + name
              + "': --shape says "
              + given
              + ", but '"
              + file
              + "' has "
              + (own == null ? source.bytes() / elementBytes + " elements" : "the shape " + own));
    }
    if (own != null) {
      shapes.put(name, own);
    } else if (given == null && !hints.shapes().containsKey(name)) {
      shapes.put(name, Shape.of(source.bytes() / elementBytes));
    }
  }

  /** Reports all missing arguments at once: those that neither the user nor a hint gives. */
  private void checkComplete(
      Map<String, Number> constants, Map<String, StructValue> structs, Map<String, Shape> shapes) {
    List<String> missing = new ArrayList<>();
    for (Parameter parameter : kernel.parameters()) {
      String name = parameter.name();
      if (parameter.kind() == Kind.CONSTANT) {
        if (!constants.containsKey(name) && !hints.constants().containsKey(name)) {
          missing.add("--arg " + name + "=" + parameter.type().label().toUpperCase(Locale.ROOT));
        }
      } else if (parameter.struct() != null) {
        if (!structs.containsKey(name)) {
          int scalars = parameter.struct().scalars();
          missing.add("--arg " + name + "=" + "NUMBER,".repeat(scalars - 1) + "NUMBER");
        }
      } else if (parameter.isRead()) {
        boolean mayBeZeros = fillsInputs || parameter.isWritten();
        if (!sources.containsKey(name) && !(mayBeZeros && arguments.shapes().containsKey(name))) {
          missing.add(
              "--arg "
                  + name
                  + "=FILE"
                  + (fillsInputs ? " (or --shape " + name + "=SIZE,... for zeros)" : ""));
        }
      } else if (!shapes.containsKey(name) && !hints.shapes().containsKey(name)) {
        missing.add("--shape " + name + "=SIZE,...");
      }
    }
    if (!missing.isEmpty()) {
      throw invalid("kernel '" + kernel.name() + "' still needs " + String.join(" ", missing));
    }
  }

  /** Checks the shape of a buffer against its hint, if there is one. */
  private void checkHint(HintResolver resolver, String name, Shape shape) {
    if (!hints.shapes().containsKey(name)) {
      return;
    }
    Shape hinted = resolver.hintedShape(name);
    DataSource source = sources.get(name);
    long elements =
        source == null
            ? shape.elements()
            : source.bytes() / parameter("--arg", name).type().bytes();
    boolean fits =
        elements == hinted.elements()
            && (hinted.rank() == 1 || shape.rank() == 1 || shape.equals(hinted));
    if (!fits) {
      throw invalid(
          "'"
              + name
              + "' has "
              + (source != null && source.shape() == null
                  ? elements + " elements"
                  : "the shape " + shape)
              + ", but must have the shape "
              + hinted
              + " ("
              + String.join(",", hints.shapes().getOrDefault(name, List.of()))
              + ")");
    }
  }

  private Workgroups grid(HintResolver resolver, Workgroups limit) {
    Workgroups grid = arguments.groups();
    if (grid == null && !hints.groups().isEmpty()) {
      grid = workgroups("groups", resolver.evaluate("groups", hints.groups()));
    }
    if (grid == null && !hints.items().isEmpty()) {
      List<Long> items = resolver.evaluate("items", hints.items());
      Workgroups size = kernel.workgroupSize();
      int[] sizes = {size.x(), size.y(), size.z()};
      List<Long> counts = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        long count = items.get(i);
        counts.add(count < 0 ? count : count / sizes[i] + (count % sizes[i] > 0 ? 1 : 0));
      }
      grid = workgroups("items", counts);
    }
    if (grid == null) {
      throw invalid(
          "kernel '"
              + kernel.name()
              + "' still needs --groups X,Y,Z, since its manifest has no hint for it");
    }
    if (grid.x() > limit.x() || grid.y() > limit.y() || grid.z() > limit.z()) {
      throw new HalException(
          Status.OUT_OF_RANGE, "the grid " + grid + " is larger than the device's limit, " + limit);
    }
    return grid;
  }

  private Workgroups workgroups(String key, List<Long> counts) {
    int[] axes = {1, 1, 1};
    for (int i = 0; i < counts.size(); i++) {
      long count = counts.get(i);
      if (count < 0 || count > Integer.MAX_VALUE) {
        throw new HalException(
            Status.OUT_OF_RANGE,
            hints.place()
                + ": '"
                + key
                + "' makes "
                + count
                + " workgroups along axis "
                + i
                + "; it must be from 0 to "
                + Integer.MAX_VALUE);
      }
      axes[i] = (int) count;
    }
    return new Workgroups(axes[0], axes[1], axes[2]);
  }

  private static Path path(String option, String name, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw invalid(
          option + " '" + name + "': '" + text + "' is not a valid path: " + e.getReason());
    }
  }

  private static HalException invalid(String message) {
    return new HalException(Status.INVALID_ARGUMENT, message);
  }

  /** Closes all files; outputs that were not committed are removed. */
  @Override
  public void close() {
    List<Closeable> files = new ArrayList<>(sinks.values());
    files.addAll(sources.values());
    for (Closeable file : files) {
      try {
        file.close();
      } catch (IOException e) {
        // The file has been read or written completely.
      }
    }
  }
}
