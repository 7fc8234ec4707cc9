// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.reflect.Array;
import java.util.EnumSet;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jhal.ElementType;
import org.jhal.HostMemory;
import org.jspecify.annotations.Nullable;

/** The arrays whose elements a kernel can have, and the columns with such elements. */
enum PrimitiveArray {
  BYTE(byte[].class, DataTypes.ByteType, ElementType.I8, ElementType.U8),
  SHORT(
      short[].class,
      DataTypes.ShortType,
      ElementType.I16,
      ElementType.U16,
      ElementType.F16,
      ElementType.BF16),
  INT(int[].class, DataTypes.IntegerType, ElementType.I32, ElementType.U32),
  LONG(long[].class, DataTypes.LongType, ElementType.I64, ElementType.U64),
  FLOAT(float[].class, DataTypes.FloatType, ElementType.F32),
  DOUBLE(double[].class, DataTypes.DoubleType, ElementType.F64);

  private final Class<?> array;
  private final DataType column;
  private final Set<ElementType> types;

  PrimitiveArray(Class<?> array, DataType column, ElementType first, ElementType... others) {
    this.array = array;
    this.column = column;
    this.types = EnumSet.of(first, others);
  }

  /** The kind of arrays of this class; null if a kernel cannot have their elements. */
  static @Nullable PrimitiveArray of(Class<?> array) {
    for (PrimitiveArray kind : values()) {
      if (kind.array == array) {
        return kind;
      }
    }
    return null;
  }

  /** The kind of arrays that hold a column of this type; null if there is none. */
  static @Nullable PrimitiveArray of(DataType column) {
    for (PrimitiveArray kind : values()) {
      if (kind.column.equals(column)) {
        return kind;
      }
    }
    return null;
  }

  /** The kind of arrays that hold elements of this type. */
  static PrimitiveArray of(ElementType type) {
    for (PrimitiveArray kind : values()) {
      if (kind.types.contains(type)) {
        return kind;
      }
    }
    throw new AssertionError(type); // each type is in one of the sets, which a test checks
  }

  /** The name of the array's type, such as {@code float[]}. */
  String label() {
    return array.getSimpleName();
  }

  /** The name of the column's type, such as {@code float}. */
  String columnLabel() {
    return column.simpleString();
  }

  /** The column that holds elements of these arrays. */
  DataType column() {
    return column;
  }

  /** A number as an element, boxed; null if it is an integer that the type does not have. */
  @Nullable Number number(Number value) {
    if (this == FLOAT) {
      return value.floatValue();
    } else if (this == DOUBLE) {
      return value.doubleValue();
    }
    boolean isInteger =
        value instanceof Byte
            || value instanceof Short
            || value instanceof Integer
            || value instanceof Long;
    long whole = value.longValue();
    return switch (this) {
      case BYTE -> isInteger && whole == (byte) whole ? (Number) (byte) whole : null;
      case SHORT -> isInteger && whole == (short) whole ? (Number) (short) whole : null;
      case INT -> isInteger && whole == (int) whole ? (Number) (int) whole : null;
      default -> isInteger ? (Number) whole : null;
    };
  }

  Object newArray(int length) {
    return Array.newInstance(array.getComponentType(), length);
  }

  /** Sets an element to a boxed value. */
  void set(Object elements, int index, Object value) {
    switch (this) {
      case BYTE -> ((byte[]) elements)[index] = (Byte) value;
      case SHORT -> ((short[]) elements)[index] = (Short) value;
      case INT -> ((int[]) elements)[index] = (Integer) value;
      case LONG -> ((long[]) elements)[index] = (Long) value;
      case FLOAT -> ((float[]) elements)[index] = (Float) value;
      case DOUBLE -> ((double[]) elements)[index] = (Double) value;
    }
  }

  /** An element, boxed. */
  Object get(Object elements, int index) {
    return switch (this) {
      case BYTE -> ((byte[]) elements)[index];
      case SHORT -> ((short[]) elements)[index];
      case INT -> ((int[]) elements)[index];
      case LONG -> ((long[]) elements)[index];
      case FLOAT -> ((float[]) elements)[index];
      case DOUBLE -> ((double[]) elements)[index];
    };
  }

  /** Elements of an array as memory that a transfer takes. */
  static HostMemory memory(Object array, int from, int length) {
    if (array instanceof float[] floats) {
      return HostMemory.of(floats, from, length);
    } else if (array instanceof double[] doubles) {
      return HostMemory.of(doubles, from, length);
    } else if (array instanceof int[] ints) {
      return HostMemory.of(ints, from, length);
    } else if (array instanceof long[] longs) {
      return HostMemory.of(longs, from, length);
    } else if (array instanceof short[] shorts) {
      return HostMemory.of(shorts, from, length);
    }
    return HostMemory.of((byte[]) array, from, length);
  }
}
