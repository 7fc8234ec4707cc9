// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a struct that a kernel takes by value: one of the vector types of GPU languages,
 * such as {@link #FLOAT4}, or a struct of your own.
 *
 * <pre>{@code
 * // struct Camera { float3 eye; float zoom; int tiles[2]; };
 * static final StructType CAMERA =
 *     StructType.builder().add("eye", FLOAT3).add("zoom", F32).add("tiles", I32, 2).build();
 *
 * Args.of(CAMERA.value(0f, 1.5f, -3f, 2f, 16, 9), picture);
 * }</pre>
 *
 * <p>The layout is that of C++ compilers: each field starts at the next multiple of its alignment,
 * and the size is a multiple of the struct's alignment. A scalar is aligned to its size; the
 * alignment of a vector is that of the GPU languages: a {@code float2} has 8 bytes, a {@code
 * float3} 4, a {@code float4} 16.
 *
 * <p>A value consists of the numbers of all fields, in their order; these are called the struct's
 * scalars.
 *
 * <p>Two types are equal if they have the same fields, with the same names, and the same alignment.
 * Immutable; any thread may use it.
 */
public final class StructType {
  /** The largest struct, in bytes: what a GPU takes as the arguments of a kernel. */
  public static final int MAX_BYTES = 4096;

  /** The largest alignment, in bytes. */
  public static final int MAX_ALIGNMENT = 16;

  private static final String[] AXES = {"x", "y", "z", "w"};
  private static final Map<String, StructType> VECTORS = makeVectors();

  /** Two {@code float}, aligned to 8 bytes. */
  public static final StructType FLOAT2 = vector("float2");

  /** Three {@code float}, aligned to 4 bytes. */
  public static final StructType FLOAT3 = vector("float3");

  /** Four {@code float}, aligned to 16 bytes. */
  public static final StructType FLOAT4 = vector("float4");

  /** Two {@code double}, aligned to 16 bytes. */
  public static final StructType DOUBLE2 = vector("double2");

  /** Two {@code int}, aligned to 8 bytes. */
  public static final StructType INT2 = vector("int2");

  /** Three {@code int}, aligned to 4 bytes. */
  public static final StructType INT3 = vector("int3");

  /** Four {@code int}, aligned to 16 bytes. */
  public static final StructType INT4 = vector("int4");

  /** Two {@code unsigned}, aligned to 8 bytes. */
  public static final StructType UINT2 = vector("uint2");

  /** Four {@code unsigned}, aligned to 16 bytes. */
  public static final StructType UINT4 = vector("uint4");

  /** A {@code dim3}: three {@code unsigned}, aligned to 4 bytes. */
  public static final StructType DIM3 = vector("dim3");

  private final String name;
  private final List<Field> fields;
  private final int alignment;
  private final int bytes;
  private final Field[] fieldOf; // by scalar
  private final int[] offsets; // by scalar

  /**
   * A field of a struct.
   *
   * @param name unique within the struct
   * @param type of its scalars
   * @param width the number of scalars of its vector type, 2 to 4; 1 if it has none
   * @param count the number of elements if it is an array, 1 to {@link #MAX_BYTES}
   * @param offset where it starts in the struct, in bytes, 0 to {@link #MAX_BYTES}
   */
  public record Field(String name, ElementType type, int width, int count, int offset) {
    /**
     * Rejects null.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Field {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(type, "type");
      if (width < 1 || width > 4 || count < 1 || count > MAX_BYTES) {
        throw new IllegalArgumentException(
            "field '%s' has %s elements of %s scalars; limits: 1 to %s elements of 1 to 4"
                .formatted(name, count, width, MAX_BYTES));
      }
      if (offset < 0 || offset > MAX_BYTES) {
        throw new IllegalArgumentException(
            "field '%s' is at offset %s; limits: 0 to %s".formatted(name, offset, MAX_BYTES));
      }
    }

    /** Returns the number of scalars. */
    public int scalars() {
      return width * count;
    }

    /** Returns the type of an element, as manifests write it: {@code f32} or {@code float3}. */
    public String typeName() {
      return width == 1 ? type.label() : nameInC(type) + width;
    }
  }

  StructType(String name, List<Field> fields, int alignment) {
    this.name = name;
    this.fields = List.copyOf(fields);
    this.alignment = alignment;
    Field last = fields.get(fields.size() - 1);
    this.bytes = roundUp(last.offset + last.type.bytes() * last.scalars(), alignment);
    int scalars = fields.stream().mapToInt(Field::scalars).sum();
    this.fieldOf = new Field[scalars];
    this.offsets = new int[scalars];
    int scalar = 0;
    for (Field field : fields) {
      for (int i = 0; i < field.scalars(); i++) {
        fieldOf[scalar] = field;
        offsets[scalar++] = field.offset + i * field.type.bytes();
      }
    }
  }

  private static Map<String, StructType> makeVectors() {
    Map<String, StructType> all = new LinkedHashMap<>();
    for (ElementType type : ElementType.values()) {
      String scalar = nameInC(type);
      for (int width = 2; width <= 4; width++) {
        if (!scalar.isEmpty() && alignmentOf(type, width) <= MAX_ALIGNMENT) {
          all.put(scalar + width, vector(scalar + width, type, width));
        }
      }
    }
    all.put("dim3", vector("dim3", ElementType.U32, 3));
    return all;
  }

  private static StructType vector(String name, ElementType type, int width) {
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      fields.add(new Field(AXES[i], type, 1, 1, i * type.bytes()));
    }
    return new StructType(name, fields, alignmentOf(type, width));
  }

  private static String nameInC(ElementType type) {
    return switch (type) {
      case I8 -> "char";
      case U8 -> "uchar";
      case I16 -> "short";
      case U16 -> "ushort";
      case I32 -> "int";
      case U32 -> "uint";
      case I64 -> "longlong";
      case U64 -> "ulonglong";
      case F32 -> "float";
      case F64 -> "double";
      case F16, BF16 -> "";
    };
  }

  static int alignmentOf(ElementType type, int width) {
    return width == 3 ? type.bytes() : width * type.bytes();
  }

  static int roundUp(int number, int multiple) {
    return (number + multiple - 1) / multiple * multiple;
  }

  /**
   * Returns the vector type of this name: {@code char}, {@code uchar}, {@code short}, {@code
   * ushort}, {@code int}, {@code uint}, {@code longlong}, {@code ulonglong}, {@code float} or
   * {@code double}, followed by 2, 3 or 4; or {@code dim3}. Vectors of four 64-bit numbers are
   * missing, because their alignment differs between vendors: declare a struct instead.
   *
   * @throws HalException INVALID_ARGUMENT if there is no such type
   */
  public static StructType vector(String name) {
    StructType found = VECTORS.get(Objects.requireNonNull(name, "name"));
    if (found == null) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "'"
              + name
              + "' is not a vector type; the vector types are "
              + String.join(", ", VECTORS.keySet()));
    }
    return found;
  }

  /** Returns all vector types. */
  public static List<StructType> vectors() {
    return List.copyOf(VECTORS.values());
  }

  /** Returns a builder of a struct of your own. */
  public static StructBuilder builder() {
    return new StructBuilder();
  }

  /** Returns the name of a vector type; {@code struct} for a struct of your own. */
  public String name() {
    return name;
  }

  /** Returns whether this is a vector type. */
  public boolean isVector() {
    return VECTORS.containsKey(name);
  }

  /** Returns the fields in their order, at least one. */
  public List<Field> fields() {
    return fields;
  }

  /** Returns the size in bytes, a multiple of the alignment. */
  public int bytes() {
    return bytes;
  }

  /** Returns the alignment in bytes: a power of two, at most {@link #MAX_ALIGNMENT}. */
  public int alignment() {
    return alignment;
  }

  /** Returns the number of scalars of all fields. */
  public int scalars() {
    return offsets.length;
  }

  /**
   * Returns the number of the first scalar of a field, from 0.
   *
   * @throws HalException INVALID_ARGUMENT if there is no such field
   */
  public int scalar(String field) {
    Objects.requireNonNull(field, "field");
    int scalar = 0;
    for (Field candidate : fields) {
      if (candidate.name.equals(field)) {
        return scalar;
      }
      scalar += candidate.scalars();
    }
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "there is no field '"
            + field
            + "'; there are "
            + fields.stream().map(Field::name).toList());
  }

  /**
   * Returns the field that a scalar belongs to.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   */
  public Field field(int scalar) {
    return fieldOf[Objects.checkIndex(scalar, offsets.length)];
  }

  /**
   * Returns the name of a scalar: its field's, with an index if that has several, such as {@code
   * tiles[1]}.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   */
  public String scalarName(int scalar) {
    Field field = field(scalar);
    int index = scalar - scalar(field.name);
    return field.name + (field.scalars() == 1 ? "" : "[" + index + "]");
  }

  /**
   * Returns where a scalar is, in bytes from the start of the struct.
   *
   * @throws IndexOutOfBoundsException if there is no such scalar
   */
  public int offset(int scalar) {
    return offsets[Objects.checkIndex(scalar, offsets.length)];
  }

  /**
   * Returns whether values of this type have the same bytes as those of another one: scalars of the
   * same types at the same offsets, the same size and the same alignment. Names do not matter.
   */
  public boolean hasLayoutOf(StructType other) {
    Objects.requireNonNull(other, "other");
    if (!Arrays.equals(offsets, other.offsets)
        || bytes != other.bytes
        || alignment != other.alignment) {
      return false;
    }
    for (int i = 0; i < offsets.length; i++) {
      if (fieldOf[i].type != other.fieldOf[i].type) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns a value of this type.
   *
   * @param values the struct's scalars in their order. Each is a number of the kinds that {@link
   *     Args} accepts for a constant of the scalar's type; whether it fits is checked when the
   *     value is passed to a kernel. A {@link StructValue} stands for its scalars.
   * @throws HalException INVALID_ARGUMENT if there are more or fewer scalars, or something else is
   *     among the values
   */
  public StructValue value(Object... values) {
    return new StructValue(this, values);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StructType type
        && name.equals(type.name)
        && fields.equals(type.fields)
        && alignment == type.alignment;
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, fields, alignment);
  }

  /** The name of a vector type, or the fields in C++'s order of type and name. */
  @Override
  public String toString() {
    if (isVector()) {
      return name;
    }
    StringBuilder text = new StringBuilder("struct {");
    for (Field field : fields) {
      text.append(' ').append(field.typeName()).append(' ').append(field.name);
      if (field.count > 1) {
        text.append('[').append(field.count).append(']');
      }
      text.append(';');
    }
    return text.append(" }").toString();
  }
}
