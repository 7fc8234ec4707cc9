// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import org.jhal.spirv.assembly.Capability;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.Op;

/** Atomic operations on integers of 32 and 64 bits, and on other values of these sizes. */
final class Atomics {
  private static final int DEVICE = 1;
  private static final int WORKGROUP = 2;
  private static final int ORDER = 0x1e; // the bits of acquire, release and stronger orders
  private static final int ACQUIRE = 2;
  private static final int RELEASE = 4;
  private static final int ACQUIRE_RELEASE = 8;

  /** Memory of the device, and of the workgroup. */
  private static final int ALL_MEMORY = 0x40 | 0x100;

  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final Accesses accesses;
  private final WordAccess words;

  Atomics(Scope scope, Accesses accesses) {
    this.scope = scope;
    code = scope.code;
    out = scope.out();
    this.accesses = accesses;
    words = new WordAccess(code);
  }

  /** The parts of an operation. Values are integers. */
  private record Operation(
      int op, int type, int bits, int scope, int order, int value, int expected) {}

  void translate(Instruction in) {
    boolean isStore = in.op() == Op.ATOMIC_STORE;
    int first = isStore ? 0 : 2;
    int pointer = in.word(first);
    Instruction valueType = isStore ? scope.typeOf(in, in.word(3)) : scope.resultType(in);
    int bits = scope.bits(in, valueType);
    if (bits != 32 && bits != 64) {
      throw scope.unsupported("an atomic operation of " + bits + " bits");
    }
    if (in.op() != Op.ATOMIC_LOAD) {
      accesses.checkPointer(in, pointer);
    }
    int type = out.integer(bits);
    boolean isFloat = valueType.op() == Op.TYPE_FLOAT;
    int scopeOf = scope.constant(in, in.word(first + 1)) == WORKGROUP ? WORKGROUP : DEVICE;
    boolean isOrdered = (scope.constant(in, in.word(first + 2)) & ORDER) != 0;
    int address = scope.value(in, pointer);
    Operation operation;
    switch (in.op()) {
      case Op.ATOMIC_LOAD ->
          operation =
              new Operation(Op.ATOMIC_LOAD, type, bits, scopeOf, order(isOrdered, ACQUIRE), 0, 0);
      case Op.ATOMIC_STORE ->
          operation =
              new Operation(
                  Op.ATOMIC_STORE,
                  type,
                  bits,
                  scopeOf,
                  order(isOrdered, RELEASE),
                  integer(in, in.word(3), bits, isFloat),
                  0);
      case Op.ATOMIC_COMPARE_EXCHANGE, Op.ATOMIC_COMPARE_EXCHANGE_WEAK ->
          operation =
              new Operation(
                  Op.ATOMIC_COMPARE_EXCHANGE,
                  type,
                  bits,
                  scopeOf,
                  order(isOrdered, ACQUIRE_RELEASE),
                  integer(in, in.word(6), bits, isFloat),
                  integer(in, in.word(7), bits, isFloat));
      case Op.ATOMIC_I_INCREMENT, Op.ATOMIC_I_DECREMENT ->
          operation =
              new Operation(
                  in.op() == Op.ATOMIC_I_INCREMENT ? Op.ATOMIC_I_ADD : Op.ATOMIC_I_SUB,
                  type,
                  bits,
                  scopeOf,
                  order(isOrdered, ACQUIRE_RELEASE),
                  out.constant(bits, 1),
                  0);
      default ->
          operation =
              new Operation(
                  in.op(),
                  type,
                  bits,
                  scopeOf,
                  order(isOrdered, ACQUIRE_RELEASE),
                  integer(in, in.word(5), bits, isFloat),
                  0);
    }
    int result = access(pointer, address, bits, operation);
    if (!isStore) {
      scope.values.define(in, isFloat ? code.value(Op.BITCAST, scope.outType(in), result) : result);
    }
  }

  /** Exchanges an integer if it is the expected one, and returns the one before. */
  int compareExchange(int pointer, int address, int bits, int expected, int value) {
    int type = out.integer(bits);
    return access(
        pointer,
        address,
        bits,
        new Operation(Op.ATOMIC_COMPARE_EXCHANGE, type, bits, DEVICE, 0, value, expected));
  }

  private int order(boolean isOrdered, int order) {
    return isOrdered ? order | ALL_MEMORY : 0;
  }

  private int integer(Instruction in, int id, int bits, boolean isFloat) {
    int value = scope.value(in, id);
    return isFloat ? code.value(Op.BITCAST, out.integer(bits), value) : value;
  }

  private int access(int pointer, int address, int bits, Operation operation) {
    return Accesses.inSpace(
        scope,
        pointer,
        address,
        operation.op == Op.ATOMIC_STORE ? 0 : operation.type,
        () -> {
          if (bits == 64) {
            out.capability(Capability.INT64_ATOMICS);
          }
          int type = out.pointer(Storage.PHYSICAL_STORAGE_BUFFER, operation.type);
          return atomic(operation, code.value(Op.CONVERT_U_TO_PTR, type, address));
        },
        (space, storage) -> {
          int array = scope.translation.memories().words(pointer, space);
          if (storage == Storage.PRIVATE) {
            return plain(operation, array, address, bits);
          }
          if (bits == 64) {
            throw scope.unsupported("an atomic operation of 64 bits in shared memory");
          }
          return atomic(operation, words.word(array, storage, address, 0));
        });
  }

  private int atomic(Operation operation, int at) {
    int scopeId = out.constant(operation.scope);
    int order = out.constant(operation.order);
    switch (operation.op) {
      case Op.ATOMIC_LOAD:
        return code.value(operation.op, operation.type, at, scopeId, order);
      case Op.ATOMIC_STORE:
        code.add(operation.op, at, scopeId, order, operation.value);
        return 0;
      case Op.ATOMIC_COMPARE_EXCHANGE:
        int orderOfLoad = out.constant(operation.order == 0 ? 0 : ACQUIRE | ALL_MEMORY);
        return code.value(
            operation.op,
            operation.type,
            at,
            scopeId,
            order,
            orderOfLoad,
            operation.value,
            operation.expected);
      default:
        return code.value(operation.op, operation.type, at, scopeId, order, operation.value);
    }
  }

  /** An operation on memory of the work item, which nothing else accesses. */
  private int plain(Operation operation, int array, int address, int bits) {
    int before =
        operation.op == Op.ATOMIC_STORE ? 0 : words.load(array, Storage.PRIVATE, address, bits);
    if (operation.op == Op.ATOMIC_LOAD) {
      return before;
    }
    words.store(array, Storage.PRIVATE, address, bits, changed(operation, before));
    return before;
  }

  private int changed(Operation operation, int before) {
    int type = operation.type;
    int value = operation.value;
    return switch (operation.op) {
      case Op.ATOMIC_STORE, Op.ATOMIC_EXCHANGE -> value;
      case Op.ATOMIC_COMPARE_EXCHANGE ->
          chosen(operation, Op.I_EQUAL, before, operation.expected, before);
      case Op.ATOMIC_I_ADD -> code.value(Op.I_ADD, type, before, value);
      case Op.ATOMIC_I_SUB -> code.value(Op.I_SUB, type, before, value);
      case Op.ATOMIC_AND -> code.value(Op.BITWISE_AND, type, before, value);
      case Op.ATOMIC_OR -> code.value(Op.BITWISE_OR, type, before, value);
      case Op.ATOMIC_XOR -> code.value(Op.BITWISE_XOR, type, before, value);
      case Op.ATOMIC_S_MIN -> chosen(operation, Op.S_LESS_THAN, value, before, before);
      case Op.ATOMIC_U_MIN -> chosen(operation, Op.U_LESS_THAN, value, before, before);
      case Op.ATOMIC_S_MAX -> chosen(operation, Op.S_GREATER_THAN, value, before, before);
      case Op.ATOMIC_U_MAX -> chosen(operation, Op.U_GREATER_THAN, value, before, before);
      default -> throw scope.unsupported(Op.name(operation.op));
    };
  }

  /** The operation's value if a comparison holds. */
  private int chosen(Operation operation, int test, int a, int b, int otherwise) {
    boolean isSigned = test == Op.S_LESS_THAN || test == Op.S_GREATER_THAN;
    int condition =
        isSigned ? code.testSigned(test, operation.bits, 1, a, b) : code.test(test, a, b);
    return code.value(Op.SELECT, operation.type, condition, operation.value, otherwise);
  }
}
