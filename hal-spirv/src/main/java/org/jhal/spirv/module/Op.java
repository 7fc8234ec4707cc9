// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.module;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;

/** The numbers of SPIR-V's instructions, under their names in the specification. */
@SuppressWarnings("MissingJavadocMethod")
public final class Op {
  public static final int NOP = 0;
  public static final int UNDEF = 1;
  public static final int SOURCE = 3;
  public static final int SOURCE_EXTENSION = 4;
  public static final int NAME = 5;
  public static final int MEMBER_NAME = 6;
  public static final int STRING = 7;
  public static final int LINE = 8;
  public static final int EXTENSION = 10;
  public static final int EXT_INST_IMPORT = 11;
  public static final int EXT_INST = 12;
  public static final int MEMORY_MODEL = 14;
  public static final int ENTRY_POINT = 15;
  public static final int EXECUTION_MODE = 16;
  public static final int CAPABILITY = 17;
  public static final int TYPE_VOID = 19;
  public static final int TYPE_BOOL = 20;
  public static final int TYPE_INT = 21;
  public static final int TYPE_FLOAT = 22;
  public static final int TYPE_VECTOR = 23;
  public static final int TYPE_ARRAY = 28;
  public static final int TYPE_STRUCT = 30;
  public static final int TYPE_POINTER = 32;
  public static final int TYPE_FUNCTION = 33;
  public static final int CONSTANT_TRUE = 41;
  public static final int CONSTANT_FALSE = 42;
  public static final int CONSTANT = 43;
  public static final int CONSTANT_COMPOSITE = 44;
  public static final int CONSTANT_NULL = 46;
  public static final int SPEC_CONSTANT = 50;
  public static final int SPEC_CONSTANT_COMPOSITE = 51;
  public static final int SPEC_CONSTANT_OP = 52;
  public static final int FUNCTION = 54;
  public static final int FUNCTION_PARAMETER = 55;
  public static final int FUNCTION_END = 56;
  public static final int FUNCTION_CALL = 57;
  public static final int VARIABLE = 59;
  public static final int LOAD = 61;
  public static final int STORE = 62;
  public static final int COPY_MEMORY = 63;
  public static final int COPY_MEMORY_SIZED = 64;
  public static final int ACCESS_CHAIN = 65;
  public static final int IN_BOUNDS_ACCESS_CHAIN = 66;
  public static final int PTR_ACCESS_CHAIN = 67;
  public static final int GENERIC_PTR_MEM_SEMANTICS = 69;
  public static final int IN_BOUNDS_PTR_ACCESS_CHAIN = 70;
  public static final int DECORATE = 71;
  public static final int MEMBER_DECORATE = 72;
  public static final int VECTOR_EXTRACT_DYNAMIC = 77;
  public static final int VECTOR_INSERT_DYNAMIC = 78;
  public static final int VECTOR_SHUFFLE = 79;
  public static final int COMPOSITE_CONSTRUCT = 80;
  public static final int COMPOSITE_EXTRACT = 81;
  public static final int COMPOSITE_INSERT = 82;
  public static final int COPY_OBJECT = 83;
  public static final int CONVERT_F_TO_U = 109;
  public static final int CONVERT_F_TO_S = 110;
  public static final int CONVERT_S_TO_F = 111;
  public static final int CONVERT_U_TO_F = 112;
  public static final int U_CONVERT = 113;
  public static final int S_CONVERT = 114;
  public static final int F_CONVERT = 115;
  public static final int CONVERT_PTR_TO_U = 117;
  public static final int CONVERT_U_TO_PTR = 120;
  public static final int PTR_CAST_TO_GENERIC = 121;
  public static final int GENERIC_CAST_TO_PTR = 122;
  public static final int GENERIC_CAST_TO_PTR_EXPLICIT = 123;
  public static final int BITCAST = 124;
  public static final int S_NEGATE = 126;
  public static final int F_NEGATE = 127;
  public static final int I_ADD = 128;
  public static final int F_ADD = 129;
  public static final int I_SUB = 130;
  public static final int F_SUB = 131;
  public static final int I_MUL = 132;
  public static final int F_MUL = 133;
  public static final int U_DIV = 134;
  public static final int S_DIV = 135;
  public static final int F_DIV = 136;
  public static final int U_MOD = 137;
  public static final int S_REM = 138;
  public static final int S_MOD = 139;
  public static final int F_REM = 140;
  public static final int F_MOD = 141;
  public static final int DOT = 148;
  public static final int I_ADD_CARRY = 149;
  public static final int I_SUB_BORROW = 150;
  public static final int U_MUL_EXTENDED = 151;
  public static final int S_MUL_EXTENDED = 152;
  public static final int ANY = 154;
  public static final int ALL = 155;
  public static final int IS_NAN = 156;
  public static final int IS_INF = 157;
  public static final int IS_FINITE = 158;
  public static final int SIGN_BIT_SET = 160;
  public static final int ORDERED = 162;
  public static final int UNORDERED = 163;
  public static final int LOGICAL_EQUAL = 164;
  public static final int LOGICAL_NOT_EQUAL = 165;
  public static final int LOGICAL_OR = 166;
  public static final int LOGICAL_AND = 167;
  public static final int LOGICAL_NOT = 168;
  public static final int SELECT = 169;
  public static final int I_EQUAL = 170;
  public static final int I_NOT_EQUAL = 171;
  public static final int U_GREATER_THAN = 172;
  public static final int S_GREATER_THAN = 173;
  public static final int U_GREATER_THAN_EQUAL = 174;
  public static final int S_GREATER_THAN_EQUAL = 175;
  public static final int U_LESS_THAN = 176;
  public static final int S_LESS_THAN = 177;
  public static final int U_LESS_THAN_EQUAL = 178;
  public static final int S_LESS_THAN_EQUAL = 179;
  public static final int F_ORD_EQUAL = 180;
  public static final int F_UNORD_EQUAL = 181;
  public static final int F_ORD_NOT_EQUAL = 182;
  public static final int F_UNORD_NOT_EQUAL = 183;
  public static final int F_ORD_LESS_THAN = 184;
  public static final int F_ORD_GREATER_THAN = 186;
  public static final int F_ORD_GREATER_THAN_EQUAL = 190;
  public static final int F_UNORD_GREATER_THAN_EQUAL = 191;
  public static final int SHIFT_RIGHT_LOGICAL = 194;
  public static final int SHIFT_RIGHT_ARITHMETIC = 195;
  public static final int SHIFT_LEFT_LOGICAL = 196;
  public static final int BITWISE_OR = 197;
  public static final int BITWISE_XOR = 198;
  public static final int BITWISE_AND = 199;
  public static final int NOT = 200;
  public static final int BIT_REVERSE = 204;
  public static final int BIT_COUNT = 205;
  public static final int CONTROL_BARRIER = 224;
  public static final int MEMORY_BARRIER = 225;
  public static final int ATOMIC_LOAD = 227;
  public static final int ATOMIC_STORE = 228;
  public static final int ATOMIC_EXCHANGE = 229;
  public static final int ATOMIC_COMPARE_EXCHANGE = 230;
  public static final int ATOMIC_COMPARE_EXCHANGE_WEAK = 231;
  public static final int ATOMIC_I_INCREMENT = 232;
  public static final int ATOMIC_I_DECREMENT = 233;
  public static final int ATOMIC_I_ADD = 234;
  public static final int ATOMIC_I_SUB = 235;
  public static final int ATOMIC_S_MIN = 236;
  public static final int ATOMIC_U_MIN = 237;
  public static final int ATOMIC_S_MAX = 238;
  public static final int ATOMIC_U_MAX = 239;
  public static final int ATOMIC_AND = 240;
  public static final int ATOMIC_OR = 241;
  public static final int ATOMIC_XOR = 242;
  public static final int PHI = 245;
  public static final int LOOP_MERGE = 246;
  public static final int SELECTION_MERGE = 247;
  public static final int LABEL = 248;
  public static final int BRANCH = 249;
  public static final int BRANCH_CONDITIONAL = 250;
  public static final int SWITCH = 251;
  public static final int RETURN = 253;
  public static final int RETURN_VALUE = 254;
  public static final int UNREACHABLE = 255;
  public static final int LIFETIME_START = 256;
  public static final int LIFETIME_STOP = 257;
  public static final int NO_LINE = 317;
  public static final int MODULE_PROCESSED = 330;
  public static final int GROUP_NON_UNIFORM_ELECT = 333;
  public static final int GROUP_NON_UNIFORM_BALLOT = 339;
  public static final int GROUP_NON_UNIFORM_SHUFFLE = 345;
  public static final int COPY_LOGICAL = 400;
  public static final int PTR_EQUAL = 401;
  public static final int PTR_NOT_EQUAL = 402;
  public static final int PTR_DIFF = 403;

  public static final int CONSTANT_FUNCTION_POINTER = 5600; // of SPV_INTEL_function_pointers
  public static final int FUNCTION_POINTER_CALL = 5601;

  private static final Map<Integer, String> NAMES = names();

  private Op() {}

  /** The name of an instruction in the specification, or {@code instruction N}. */
  public static String name(int op) {
    String name = NAMES.get(op);
    return name == null ? "instruction " + op : name;
  }

  private static Map<Integer, String> names() {
    Map<Integer, String> names = new HashMap<>();
    for (Field field : Op.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == int.class) {
        StringBuilder name = new StringBuilder("Op");
        for (String part : field.getName().split("_")) {
          name.append(part.charAt(0));
          for (int i = 1; i < part.length(); i++) {
            name.append((char) (part.charAt(i) + ('a' - 'A')));
          }
        }
        try {
          names.put(field.getInt(null), name.toString());
        } catch (IllegalAccessException e) {
          throw new AssertionError(e);
        }
      }
    }
    return names;
  }

  /** Whether the instruction has a result; its first operand is then the type, unless it is one. */
  public static boolean hasResult(int op) {
    return hasType(op) || isType(op) || op == LABEL || op == STRING || op == EXT_INST_IMPORT;
  }

  /** Whether the instruction declares a type. */
  public static boolean isType(int op) {
    return op >= TYPE_VOID && op <= 38;
  }

  /** Whether the instruction's first operand is the type of its result. */
  public static boolean hasType(int op) {
    switch (op) {
      case UNDEF, EXT_INST, FUNCTION, FUNCTION_PARAMETER, FUNCTION_CALL, VARIABLE, LOAD:
      case ATOMIC_LOAD, PHI, GROUP_NON_UNIFORM_BALLOT, GROUP_NON_UNIFORM_SHUFFLE:
      case CONSTANT_FUNCTION_POINTER, FUNCTION_POINTER_CALL:
        return true;
      case STORE, COPY_MEMORY, COPY_MEMORY_SIZED, DECORATE, MEMBER_DECORATE:
        return false;
      default:
        return (op >= CONSTANT_TRUE && op <= SPEC_CONSTANT_OP)
            || (op >= ACCESS_CHAIN && op <= IN_BOUNDS_PTR_ACCESS_CHAIN)
            || (op >= VECTOR_EXTRACT_DYNAMIC && op <= BIT_COUNT)
            || (op >= ATOMIC_EXCHANGE && op <= ATOMIC_XOR)
            || (op >= COPY_LOGICAL && op <= PTR_DIFF);
    }
  }

  /** Whether the instruction ends a block. */
  public static boolean endsBlock(int op) {
    return op >= BRANCH && op <= UNREACHABLE;
  }

  /** Whether the instruction says nothing that matters for what a kernel computes. */
  public static boolean isDebug(int op) {
    return (op >= 2 && op <= LINE) || op == NO_LINE || op == MODULE_PROCESSED || op == NOP;
  }
}
