// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.assembly.Storage;
import org.jhal.spirv.flow.FlowGraph;
import org.jhal.spirv.module.Block;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelModule;
import org.jhal.spirv.module.KernelTypes;
import org.jhal.spirv.module.Op;

/**
 * The translated values of a function. Those that a block other than theirs uses, and those that
 * depend on where control comes from, are kept in variables, except for those of the first block.
 */
final class Values {
  private final Scope scope;
  private final Map<Integer, Integer> values = new HashMap<>();
  private final Map<Integer, Integer> blocks = new HashMap<>(); // that define a value
  private final Map<Integer, Integer> variables = new HashMap<>(); // of kept values
  private final Set<Integer> kept = new HashSet<>();
  private final Map<Integer, Set<Integer>> users = new HashMap<>(); // blocks, by value
  private final Set<Integer> leaving = new HashSet<>(); // kept ones that loops compute for outside
  private int index; // of the element in which each of these is
  private final Map<Integer, Integer> loaded = new HashMap<>(); // in the present block
  private int block;

  Values(Scope scope) {
    this.scope = scope;
    List<Block> all = scope.function.blocks();
    for (int i = 0; i < all.size(); i++) {
      int at = i;
      all.get(i).phis().forEach(phi -> definePhi(phi, at));
      for (Instruction in : all.get(i).body()) {
        if (Op.hasType(in.op())) {
          blocks.put(in.result(), i);
        }
      }
    }
    Map<Integer, Integer> byLabel = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      byLabel.put(all.get(i).label(), i);
    }
    for (int i = 0; i < all.size(); i++) {
      for (Instruction phi : all.get(i).phis()) {
        for (int k = 2; k + 1 < phi.count(); k += 2) {
          Integer from = byLabel.get(phi.word(k + 1));
          if (from != null) { // else the phi gets no value from there
            use(phi.word(k), from);
          }
        }
      }
      for (Instruction in : all.get(i).body()) {
        use(in, i);
      }
      use(all.get(i).end(), i);
    }
  }

  private void definePhi(Instruction phi, int block) {
    blocks.put(phi.result(), block);
    kept.add(phi.result());
  }

  private void use(Instruction in, int block) {
    for (int id : Operands.values(in)) {
      use(id, block);
    }
  }

  private void use(int id, int block) {
    Integer definition = blocks.get(id);
    if (definition != null && definition != block && definition != 0) {
      kept.add(id);
      users.computeIfAbsent(id, absent -> new HashSet<>()).add(block);
    }
  }

  /**
   * Finds the values that are computed in loops and used behind them, before code is added.
   * Lavapipe of Mesa 22.3 takes those of its last round for all work items, also for those that had
   * left the loop before (findings/lavapipe-loses-values.sh). It keeps what is in memory, so such
   * values are in arrays, whose only used element is one of which it does not know that.
   */
  void findLeaving(FlowGraph graph) {
    List<Block> all = scope.function.blocks();
    users.forEach(
        (id, at) -> {
          int definition = Objects.requireNonNull(blocks.get(id));
          boolean isCarried =
              graph.isHeader(definition)
                  && all.get(definition).phis().stream().anyMatch(phi -> phi.result() == id);
          if (!isCarried && at.stream().anyMatch(user -> graph.leavesLoop(definition, user))) {
            leaving.add(id);
          }
        });
    for (int from = 0; from < all.size(); from++) {
      for (int to : graph.next(from)) {
        if (graph.leavesLoop(from, to)) { // there phis get their values
          all.get(to).phis().forEach(phi -> leaving.add(phi.result()));
        }
      }
    }
    if (!leaving.isEmpty()) {
      index = scope.translation.builtIns().zero(scope.code);
    }
  }

  /** Says that code of a block, or of the edges behind it, comes next. */
  void enter(int block) {
    if (this.block != block) {
      loaded.clear();
    }
    this.block = block;
  }

  /** Forgets what was loaded, since the code so far need not dominate what comes. */
  void forget() {
    loaded.clear();
  }

  /** Gives an instruction's result its translated value. */
  void define(Instruction in, int value) {
    define(in, in.result(), value);
  }

  /** Gives a value its translation. */
  void define(Instruction user, int id, int value) {
    values.put(id, value);
    if (kept.contains(id)) {
      store(user, id, value);
    }
  }

  private void store(Instruction user, int id, int value) {
    scope.code.add(Op.STORE, place(user, id), value);
  }

  private int load(Instruction user, int id) {
    return scope.code.load(outType(user, id), place(user, id));
  }

  private int outType(Instruction user, int id) {
    return scope.translation.outTypes().of(scope.typeOf(user, id));
  }

  /** A pointer to where a value is kept. */
  private int place(Instruction user, int id) {
    int type = outType(user, id);
    boolean isElement = leaving.contains(id);
    int variable =
        variables.computeIfAbsent(
            id, absent -> isElement ? scope.code.array(type, 2) : scope.code.variable(type));
    return isElement
        ? scope.code.value(
            Op.ACCESS_CHAIN, scope.out().pointer(Storage.FUNCTION, type), variable, index)
        : variable;
  }

  /** Stores the next value of a phi. */
  void give(Instruction phi, int value) {
    store(phi, phi.result(), value);
  }

  /** The translated value of an id that an instruction uses. */
  int of(Instruction user, int id) {
    Integer definition = blocks.get(id);
    if (definition == null) {
      return constant(user, id);
    }
    Integer value = values.get(id);
    if (!kept.contains(id) || (value != null && definition == block)) {
      if (value == null) {
        throw user.invalid("uses id " + id + " before it has a value");
      }
      return value;
    }
    return loaded.computeIfAbsent(id, absent -> load(user, id));
  }

  /** A value from outside the function's blocks: a parameter, a constant, or a variable. */
  private int constant(Instruction user, int id) {
    Integer known = values.get(id);
    if (known != null) {
      return known;
    }
    KernelModule module = scope.translation.module();
    Long address = scope.translation.memories().address(id);
    if (address != null) {
      return scope.translation.memories().pointer(address);
    }
    Instruction definition = module.definition(user, id);
    if (definition.op() == Op.FUNCTION) {
      throw scope.unsupported("a pointer to the function " + module.name(id));
    }
    if (!Op.hasType(definition.op())) {
      throw user.invalid("uses id " + id + ", which is no value");
    }
    int value = constant(definition);
    values.put(id, value);
    return value;
  }

  private int constant(Instruction definition) {
    ModuleBuilder out = scope.out();
    Instruction type = scope.typeOf(definition, definition.result());
    int outType = scope.translation.outTypes().of(type);
    switch (definition.op()) {
      case Op.UNDEF, Op.CONSTANT_NULL:
        if (type.op() == Op.TYPE_POINTER) {
          return out.constant(0L);
        }
        if (type.op() == Op.TYPE_INT) {
          return out.constant(type.word(1), 0);
        }
        return out.declared(Op.CONSTANT_NULL, outType);
      case Op.CONSTANT_TRUE, Op.CONSTANT_FALSE:
        return out.declared(definition.op(), outType);
      case Op.CONSTANT:
        return number(definition, type, outType);
      case Op.CONSTANT_COMPOSITE:
        int[] parts = new int[definition.count() - 2];
        for (int i = 0; i < parts.length; i++) {
          parts[i] = constant(definition, definition.word(i + 2));
        }
        return Arrays.stream(parts).anyMatch(out::isSpecialized)
            ? out.specialized(Op.SPEC_CONSTANT_COMPOSITE, outType, parts)
            : out.declared(Op.CONSTANT_COMPOSITE, outType, parts);
      case Op.SPEC_CONSTANT_OP:
        Memories memories = scope.translation.memories();
        return memories.pointer(
            new ConstantBytes(
                    scope.translation.module(), scope.translation.types(), memories::address)
                .address(definition));
      default:
        throw definition.invalid("is no constant of a kernel");
    }
  }

  private int number(Instruction definition, Instruction type, int outType) {
    if (type.op() == Op.TYPE_INT) {
      long value = definition.count() > 3 ? definition.longAt(2) : definition.word(2);
      return scope.out().constant(type.word(1), value);
    }
    if (type.op() != Op.TYPE_FLOAT || KernelTypes.isPointer(type)) {
      throw definition.invalid("has type " + type.result() + ", which is no number");
    }
    return type.word(1) == 64
        ? scope.out().declared(Op.CONSTANT, outType, definition.word(2), definition.word(3))
        : scope.out().declared(Op.CONSTANT, outType, definition.word(2));
  }
}
