// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Parameter.Kind;
import org.jhal.Status;
import org.jhal.cli.data.Shape;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the expressions of {@link RunHints}: an integer, {@code CONSTANT}, {@code
 * BUFFER.length} in elements, or {@code BUFFER.shape[INDEX]}. A constant or a shape in an
 * expression may itself come from a hint.
 */
final class HintResolver {
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");
  private static final Pattern EXPRESSION =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)(?:\\.(?:(length)|shape\\[([0-9]{1,9})\\]))?");

  private final RunHints hints;
  private final List<Parameter> parameters;
  private final Map<String, Number> constants; // known so far; grows
  private final Map<String, Shape> shapes; // known so far; grows
  private final Set<String> open = new HashSet<>(); // being evaluated

  /**
   * Evaluates {@code hints}.
   *
   * @param constants those that the user gave, by name; hinted ones are added when they are
   *     evaluated
   * @param shapes those that the user gave, by name; hinted ones are added when they are evaluated
   * @throws HalException INVALID_ARGUMENT if a hint is for something that is not a parameter
   */
  HintResolver(
      RunHints hints,
      List<Parameter> parameters,
      Map<String, Number> constants,
      Map<String, Shape> shapes) {
    this.hints = hints;
    this.parameters = parameters;
    this.constants = constants;
    this.shapes = shapes;
    hints.constants().keySet().forEach(name -> find("constants." + name, name, Kind.CONSTANT));
    hints.shapes().keySet().forEach(name -> find("shapes." + name, name, Kind.BUFFER));
  }

  /** The value of a constant that the user gave or a hint computes; null if neither. */
  @Nullable Number constant(String name) {
    String expression = hints.constants().get(name);
    if (!constants.containsKey(name) && expression != null) {
      String key = "constants." + name;
      Parameter parameter = find(key, name, Kind.CONSTANT);
      long value = evaluate(key, expression);
      try {
        constants.put(name, Literals.of(name, parameter.type(), BigInteger.valueOf(value)));
      } catch (HalException e) {
        throw at(key, e);
      }
    }
    return constants.get(name);
  }

  /** The shape of a buffer that the user gave or a hint computes; null if neither. */
  @Nullable Shape shape(String name) {
    if (!shapes.containsKey(name) && hints.shapes().containsKey(name)) {
      shapes.put(name, hintedShape(name));
    }
    return shapes.get(name);
  }

  /** The shape that the hint for a buffer computes, even if the user gave one. */
  Shape hintedShape(String name) {
    List<Long> dimensions =
        evaluate("shapes." + name, hints.shapes().getOrDefault(name, List.of()));
    try {
      return new Shape(dimensions);
    } catch (HalException e) {
      throw at("shapes." + name, e);
    }
  }

  /** The values of several expressions. */
  List<Long> evaluate(String key, List<String> expressions) {
    return expressions.stream().map(expression -> evaluate(key, expression)).toList();
  }

  private long evaluate(String key, String expression) {
    if (!open.add(key + "=" + expression)) {
      throw failure(key, expression, "depends on itself");
    }
    try {
      if (INTEGER.matcher(expression).matches()) {
        return exact(key, expression, new BigInteger(expression));
      }
      Matcher parts = EXPRESSION.matcher(expression);
      if (!parts.matches()) {
        throw failure(
            key,
            expression,
            "is none of: an integer, CONSTANT, BUFFER.length, BUFFER.shape[INDEX]");
      }
      String name = parts.group(1);
      if (parts.group(2) == null && parts.group(3) == null) {
        return integer(key, expression, find(key, name, Kind.CONSTANT));
      }
      find(key, name, Kind.BUFFER);
      Shape shape = shape(name);
      if (shape == null) {
        throw failure(
            key, expression, "needs the shape of '" + name + "': give --arg or --shape for it");
      }
      if (parts.group(2) != null) {
        return shape.elements();
      }
      int index = Integer.parseInt(parts.group(3));
      if (index >= shape.rank()) {
        throw failure(
            key,
            expression,
            "but '" + name + "' has the shape " + shape + ", without that dimension");
      }
      return shape.dimensions().get(index);
    } finally {
      open.remove(key + "=" + expression);
    }
  }

  private long integer(String key, String expression, Parameter parameter) {
    Number value = constant(parameter.name());
    if (value == null) {
      throw failure(
          key, expression, "needs the constant '" + parameter.name() + "': give --arg for it");
    }
    BigInteger integer = Literals.integer(parameter.type(), value);
    if (integer == null) {
      throw failure(key, expression, "is of type " + parameter.type().label() + ", not an integer");
    }
    return exact(key, expression, integer);
  }

  private long exact(String key, String expression, BigInteger value) {
    if (value.bitLength() > 63) {
      throw failure(key, expression, "is " + value + ", which is too large");
    }
    return value.longValue();
  }

  private Parameter find(String key, String name, Kind kind) {
    for (Parameter parameter : parameters) {
      if (parameter.name().equals(name) && parameter.kind() == kind) {
        return parameter;
      }
    }
    List<String> known =
        parameters.stream().filter(p -> p.kind() == kind).map(Parameter::name).toList();
    String what = kind == Kind.BUFFER ? "buffer" : "constant";
    throw new HalException(
        Status.INVALID_ARGUMENT,
        hints.place()
            + ": '"
            + key
            + "' names the "
            + what
            + " '"
            + name
            + "', which does not exist; there "
            + (known.size() == 1 ? "is " : "are ")
            + (known.isEmpty() ? "none" : String.join(", ", known)));
  }

  private HalException at(String key, HalException e) {
    return new HalException(e.status(), hints.place() + ": '" + key + "': " + e.getMessage(), e);
  }

  private HalException failure(String key, String expression, String why) {
    return new HalException(
        Status.INVALID_ARGUMENT, hints.place() + ": '" + key + "': '" + expression + "' " + why);
  }
}
