// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * A value of a JSON document with its place, such as {@code kernels[1].name}, so that errors can
 * name the place, the value and the allowed values. Reading is strict: no comments, no repeated or
 * unknown keys, nothing after the end.
 *
 * <p>Every method throws HalException INVALID_ARGUMENT for an unexpected value. Immutable.
 *
 * @param document its name in messages
 * @param place empty for the whole document
 * @param value a Map, a List, a String, a Boolean, a NumberText or Null
 */
record JsonValue(String document, String place, Object value) {
  /** A number as it is written, so that it is never rounded. */
  private record NumberText(String text) {}

  private enum Null {
    NULL
  }

  private static final Pattern GSON_LOCATION = Pattern.compile(" at line (\\d+) column (\\d+)");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]{1,18}");
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final int SHOWN = 80; // characters of a wrong value in a message

  /**
   * Parses a document.
   *
   * @param document its name in messages
   * @param utf8 its bytes
   */
  static JsonValue parse(String document, byte[] utf8) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new HalException(Status.INVALID_ARGUMENT, document + ": is not UTF-8 text", e);
    }
    JsonReader in = new JsonReader(new StringReader(text));
    in.setStrictness(Strictness.STRICT);
    try {
      Object value = read(in, document, "");
      if (in.peek() != JsonToken.END_DOCUMENT) {
        throw new MalformedJsonException("more follows" + locationOf(in.toString()));
      }
      return new JsonValue(document, "", value);
    } catch (MalformedJsonException | EOFException e) {
      String message = String.valueOf(e.getMessage());
      String what = e instanceof EOFException ? "ends too early" : "is malformed";
      throw new HalException(
          Status.INVALID_ARGUMENT,
          document + ": the JSON " + what + locationOf(message) + lineOf(message, text),
          e);
    } catch (IOException e) { // a StringReader does not fail
      throw new HalException(Status.INTERNAL, document + ": " + e, e);
    }
  }

  private static String locationOf(String message) {
    Matcher location = GSON_LOCATION.matcher(message);
    return location.find() ? " at line " + location.group(1) + " column " + location.group(2) : "";
  }

  /** The line of {@code text} that a parser's message refers to, and a hint if it is a comment. */
  private static String lineOf(String message, String text) {
    Matcher location = GSON_LOCATION.matcher(message);
    if (!location.find()) {
      return "";
    }
    long lineNumber = Long.parseLong(location.group(1));
    int next = Integer.parseInt(location.group(2)) - 1; // after the character that was refused
    String line = text.lines().skip(lineNumber - 1).findFirst().orElse("");
    boolean isComment =
        next > 0 && next <= line.length() && "/#".indexOf(line.charAt(next - 1)) >= 0;
    return line.isBlank()
        ? ""
        : ", in '" + shorten(line.strip()) + "'" + (isComment ? "; comments are not allowed" : "");
  }

  private static Object read(JsonReader in, String document, String place) throws IOException {
    return switch (in.peek()) {
      case BEGIN_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        in.beginObject();
        while (in.hasNext()) {
          String key = in.nextName();
          String where = locationOf(in.toString());
          if (members.put(key, read(in, document, member(place, key))) != null) {
            throw failure(document, place, "has the key '" + shorten(key) + "' twice" + where);
          }
        }
        in.endObject();
        yield members;
      }
      case BEGIN_ARRAY -> {
        List<Object> items = new ArrayList<>();
        in.beginArray();
        while (in.hasNext()) {
          items.add(read(in, document, item(place, items.size())));
        }
        in.endArray();
        yield items;
      }
      case STRING -> in.nextString();
      case NUMBER -> new NumberText(in.nextString());
      case BOOLEAN -> in.nextBoolean();
      case NULL -> {
        in.nextNull();
        yield Null.NULL;
      }
      default -> throw new MalformedJsonException("no value" + locationOf(in.toString()));
    };
  }

  private static String member(String place, String key) {
    return place.isEmpty() ? shorten(key) : place + "." + shorten(key);
  }

  private static String item(String place, int index) {
    return place + "[" + index + "]";
  }

  /** An error at this place; {@code why} continues the sentence after the place. */
  HalException failure(String why) {
    return failure(document, place, why);
  }

  private static HalException failure(String document, String place, String why) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        document + ": " + (place.isEmpty() ? "the document" : place) + " " + why);
  }

  /** The member called {@code key} of this object, which must be there. */
  JsonValue get(String key) {
    JsonValue member = find(key);
    if (member == null) {
      throw failure("lacks the key '" + key + "'");
    }
    return member;
  }

  /** The member called {@code key} of this object, or null if there is none. */
  @Nullable JsonValue find(String key) {
    Object member = object().get(key);
    return member == null ? null : new JsonValue(document, member(place, key), member);
  }

  /** Checks that this is an object with no keys other than {@code known}. */
  void allow(String... known) {
    for (String key : object().keySet()) {
      if (!List.of(known).contains(key)) {
        throw failure(
            "has the unknown key '%s'; known keys are %s"
                .formatted(shorten(key), String.join(", ", known)));
      }
    }
  }

  /** The members of this object, in the order in which they are written. */
  Map<String, JsonValue> members() {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    object().forEach((key, v) -> members.put(key, new JsonValue(document, member(place, key), v)));
    return members;
  }

  List<JsonValue> items() {
    if (!(value instanceof List<?> list)) {
      throw wrongType("a list");
    }
    List<JsonValue> items = new ArrayList<>(list.size());
    for (Object item : list) {
      items.add(new JsonValue(document, item(place, items.size()), item));
    }
    return items;
  }

  String string() {
    if (!(value instanceof String text)) {
      throw wrongType("a string");
    }
    return text;
  }

  /** This string, which must match all of {@code form}; {@code rule} describes the form. */
  String string(Pattern form, String rule) {
    String text = string();
    if (!form.matcher(text).matches()) {
      throw failure("is '" + shorten(text) + "'; " + rule);
    }
    return text;
  }

  /** This string, which must be a name as in C. */
  String identifier() {
    return string(
        IDENTIFIER, "it must be letters, digits and underscores, not starting with a digit");
  }

  /** This whole number, which must be in {@code [min, max]}. */
  int integer(int min, int max) {
    if (!(value instanceof NumberText number)) {
      throw wrongType("a whole number");
    }
    String text = number.text();
    if (WHOLE_NUMBER.matcher(text).matches()) {
      long whole = Long.parseLong(text);
      if (whole >= min && whole <= max) {
        return (int) whole;
      }
    }
    throw failure("is " + shorten(text) + "; it must be a whole number from " + min + " to " + max);
  }

  boolean bool() {
    if (!(value instanceof Boolean truth)) {
      throw wrongType("true or false");
    }
    return truth;
  }

  boolean isObject() {
    return value instanceof Map<?, ?>;
  }

  void checkObject() {
    object();
  }

  @SuppressWarnings("unchecked") // read() makes no other maps
  private Map<String, Object> object() {
    if (!(value instanceof Map<?, ?> map)) {
      throw wrongType("an object");
    }
    return (Map<String, Object>) map;
  }

  private HalException wrongType(String wanted) {
    String found =
        value instanceof Map
            ? "an object"
            : value instanceof List
                ? "a list"
                : value instanceof String text
                    ? "the string '" + shorten(text) + "'"
                    : value instanceof NumberText number
                        ? "the number " + shorten(number.text())
                        : value == Null.NULL ? "null" : "the boolean " + value;
    return failure("is " + found + "; it must be " + wanted);
  }

  private static String shorten(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
