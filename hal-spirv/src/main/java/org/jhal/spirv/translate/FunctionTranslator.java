// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.spirv.assembly.FunctionBuilder;
import org.jhal.spirv.assembly.ModuleBuilder;
import org.jhal.spirv.flow.FlowGraph;
import org.jhal.spirv.flow.Step;
import org.jhal.spirv.flow.Structurer;
import org.jhal.spirv.module.Block;
import org.jhal.spirv.module.Instruction;
import org.jhal.spirv.module.KernelFunction;
import org.jhal.spirv.module.Op;

/** Translates a function: puts its blocks into structured order, and has them translated. */
final class FunctionTranslator {
  private final Scope scope;
  private final FunctionBuilder code;
  private final ModuleBuilder out;
  private final List<Block> blocks;
  private final Map<Integer, Integer> indexes = new HashMap<>(); // of blocks, by label
  private final int[][] next;
  private final Map<Integer, Integer> labels = new HashMap<>(); // translated, by number
  private final InstructionTranslator instructions;
  private final boolean isKernel;
  private final Map<Instruction, Integer> byValue = new LinkedHashMap<>(); // where arguments are
  private int remembered; // the variable for a number, 0 until it is used

  FunctionTranslator(Translation translation, KernelFunction function, int id) {
    out = translation.out();
    isKernel = translation.module().entries().containsKey(function.id());
    List<Integer> types = new ArrayList<>();
    List<Integer> parameters = new ArrayList<>();
    if (!isKernel) {
      for (Instruction parameter : function.parameters()) {
        types.add(translation.outTypes().of(translation.types().type(parameter, parameter.type())));
        parameters.add(out.id());
      }
    }
    Instruction returns = translation.types().type(function.head(), function.returnType());
    code = new FunctionBuilder(out, id, translation.outTypes().of(returns), types, parameters);
    scope = new Scope(translation, function, code);
    blocks = function.blocks();
    for (int i = 0; i < blocks.size(); i++) {
      indexes.put(blocks.get(i).label(), i);
    }
    next = new int[blocks.size()][];
    for (int i = 0; i < next.length; i++) {
      next[i] = targets(blocks.get(i)).stream().mapToInt(target -> target).toArray();
    }
    instructions = new InstructionTranslator(scope);
    for (int i = 0; i < parameters.size(); i++) {
      Instruction parameter = function.parameters().get(i);
      if (translation.module().isByValue(parameter.result())) {
        byValue.put(parameter, parameters.get(i));
      } else {
        scope.values.define(parameter, parameters.get(i));
      }
    }
  }

  /** The blocks that may follow a block, each once. */
  private Set<Integer> targets(Block block) {
    Set<Integer> targets = new LinkedHashSet<>();
    for (int label : block.targets(literalWords(block.end()))) {
      int index = index(block.end(), label);
      if (index == 0) {
        throw block.end().invalid("leads back to the first block, id " + label);
      }
      targets.add(index);
    }
    return targets;
  }

  private int index(Instruction user, int label) {
    Integer index = indexes.get(label);
    if (index == null) {
      throw user.invalid("names id " + label + ", which is no block of the function");
    }
    return index;
  }

  private int literalWords(Instruction end) {
    return end.op() == Op.SWITCH && scope.bits(end, scope.typeOf(end, end.word(0))) == 64 ? 2 : 1;
  }

  FunctionBuilder translate() {
    if (isKernel) {
      new Arguments(scope).define();
    }
    byValue.forEach(instructions::copyArgument);
    FlowGraph graph = new FlowGraph(next);
    scope.values.findLeaving(graph);
    for (Step step : Structurer.steps(graph)) {
      play(step);
    }
    return code;
  }

  private int label(Step step, int index) {
    return labels.computeIfAbsent(step.labels()[index], absent -> out.id());
  }

  private void play(Step step) {
    int at = step.block();
    switch (step.kind()) {
      case CODE -> {
        scope.values.enter(at);
        scope.values.forget();
        blocks.get(at).body().forEach(instructions::translate);
      }
      case EDGE -> {
        scope.values.enter(at);
        scope.values.forget();
        giveToPhis(blocks.get(at), blocks.get(step.labels()[0]));
      }
      case LABEL -> code.begin(label(step, 0));
      case BRANCH -> code.add(Op.BRANCH, label(step, 0));
      case SELECT -> {
        int condition = condition(blocks.get(at), next[at][0]);
        code.add(Op.SELECTION_MERGE, label(step, 0), 0);
        code.add(Op.BRANCH_CONDITIONAL, condition, label(step, 1), label(step, 2));
      }
      case SWITCH -> playSwitch(step);
      case FRAME -> {
        code.add(Op.SELECTION_MERGE, label(step, 0), 0);
        code.add(Op.SWITCH, out.constant(0), label(step, 1));
      }
      case LOOP -> code.add(Op.LOOP_MERGE, label(step, 0), label(step, 1), 0);
      case SET -> code.add(Op.STORE, remembered(), out.constant(at));
      case TEST -> {
        int number = code.load(out.u32(), remembered());
        int isIt = code.test(Op.I_EQUAL, number, out.constant(at));
        code.add(Op.SELECTION_MERGE, label(step, 0), 0);
        code.add(Op.BRANCH_CONDITIONAL, isIt, label(step, 1), label(step, 0));
      }
      case DISPATCH -> playDispatch(step);
      case EXIT -> exit(blocks.get(at));
      case UNREACHABLE -> code.add(Op.UNREACHABLE);
    }
  }

  private int remembered() {
    if (remembered == 0) {
      remembered = code.variable(out.u32());
    }
    return remembered;
  }

  /** Whether a block goes to the first of its two targets. */
  private int condition(Block block, int first) {
    scope.values.enter(index(block.end(), block.label()));
    Instruction end = block.end();
    int value = scope.value(end, end.word(0));
    if (end.op() == Op.BRANCH_CONDITIONAL) {
      return value;
    }
    // A switch of two targets, the first of which is the default one.
    int bits = scope.bits(end, scope.typeOf(end, end.word(0)));
    int words = literalWords(end);
    int isOther = 0;
    for (int i = 2; i < end.count(); i += words + 1) {
      if (index(end, end.word(i + words)) != first) {
        long literal = words == 2 ? end.longAt(i) : end.word(i);
        int isThis = code.test(Op.I_EQUAL, value, out.constant(bits, literal));
        isOther = isOther == 0 ? isThis : code.test(Op.LOGICAL_OR, isOther, isThis);
      }
    }
    return code.test(Op.LOGICAL_NOT, isOther);
  }

  private void playSwitch(Step step) {
    Block block = blocks.get(step.block());
    scope.values.enter(step.block());
    Instruction end = block.end();
    int[] byTarget = new int[blocks.size()];
    for (int i = 0; i < next[step.block()].length; i++) {
      byTarget[next[step.block()][i]] = label(step, i + 1);
    }
    int words = literalWords(end);
    int[] operands = end.words().clone();
    operands[0] = scope.value(end, end.word(0));
    operands[1] = byTarget[index(end, end.word(1))];
    for (int i = 2; i < operands.length; i += words + 1) {
      operands[i + words] = byTarget[index(end, end.word(i + words))];
    }
    code.add(Op.SELECTION_MERGE, label(step, 0), 0);
    code.add(Op.SWITCH, operands);
  }

  private void playDispatch(Step step) {
    List<Integer> operands = new ArrayList<>();
    operands.add(code.load(out.u32(), remembered()));
    operands.add(label(step, 0));
    for (int i = 1; i < step.labels().length; i++) {
      if (step.labels()[i] != step.labels()[0]) {
        operands.add(i - 1);
        operands.add(label(step, i));
      }
    }
    code.add(Op.SELECTION_MERGE, label(step, 0), 0);
    code.add(Op.SWITCH, operands.stream().mapToInt(word -> word).toArray());
  }

  /** Gives the phis of a block the values that they have when control comes from another one. */
  private void giveToPhis(Block from, Block to) {
    List<Integer> values = new ArrayList<>();
    for (Instruction phi : to.phis()) {
      values.add(scope.value(phi, valueFrom(phi, from.label())));
    }
    for (int i = 0; i < values.size(); i++) {
      scope.values.give(to.phis().get(i), values.get(i));
    }
  }

  private static int valueFrom(Instruction phi, int label) {
    for (int i = 2; i + 1 < phi.count(); i += 2) {
      if (phi.word(i + 1) == label) {
        return phi.word(i);
      }
    }
    throw phi.invalid("has no value for block " + label);
  }

  private void exit(Block block) {
    Instruction end = block.end();
    scope.values.enter(index(block.end(), block.label()));
    Instruction returns = scope.translation.types().type(end, scope.function.returnType());
    if (returns.op() == Op.TYPE_VOID) {
      code.add(Op.RETURN);
    } else if (end.op() == Op.RETURN_VALUE) {
      code.add(Op.RETURN_VALUE, scope.value(end, end.word(0)));
    } else {
      int type = scope.translation.outTypes().of(returns);
      code.add(Op.RETURN_VALUE, out.declared(Op.CONSTANT_NULL, type));
    }
  }
}
