// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.Declarations.Declaration;
import org.jhal.cpu.translate.Declarations.Declarator;
import org.jspecify.annotations.Nullable;

/** A variable of a kernel that is declared where the workgroup is divided into regions. */
final class Variable {
  /** Where it lives. */
  enum Kind {
    /** In one region, as it is written. */
    PRIVATE,
    /** Live across a barrier: in several regions, with an element for each work item. */
    EXPANDED,
    /** Rematerialized in each region, since that takes no memory. */
    REMATERIALIZED,
    /** Uniform: the workgroup has one. */
    UNIFORM
  }

  final Declaration declaration;
  final Declarator declarator;
  final int number; // makes the name of its array unique
  final Object declaredIn; // the region in which it is declared
  final List<Variable> needs = new ArrayList<>(); // to be rematerialized
  final List<Variable> mentions = new ArrayList<>(); // in its initial value, otherwise
  Kind kind = Kind.PRIVATE;
  final boolean isRematerializable;
  boolean isMentioned; // where only the type of an expression counts
  String ofWarp = ""; // see Residues
  @Nullable Variable copyOf; // has the same value as long as this one is read
  boolean isOfClass; // of the source, if it is live across a barrier
  boolean mayDivide; // computing it again may divide by zero

  Variable(
      Declaration declaration,
      Declarator declarator,
      int number,
      Object declaredIn,
      boolean isRematerializable) {
    this.declaration = declaration;
    this.declarator = declarator;
    this.number = number;
    this.declaredIn = declaredIn;
    this.isRematerializable = isRematerializable;
  }

  String name() {
    return declarator.name().text();
  }

  /** The name of the array with an element for each work item. */
  String array() {
    return name().startsWith(BarrierLowering.EXCHANGED)
        ? name() + "_all"
        : "hal_own_" + name() + "_" + number;
  }

  /**
   * The array of the variable that this one is a copy of, if it has one. Then this one needs none
   * of its own, unless it is of a class.
   */
  @Nullable String original() {
    return copyOf != null
            && copyOf.kind == Kind.EXPANDED
            && copyOf.declarator.dimensions().isEmpty()
            && !copyOf.declaration.is("volatile")
        ? copyOf.array()
        : null;
  }

  /** It is used in a region other than the one that declares it. */
  void cross() {
    if (kind == Kind.PRIVATE) {
      kind = isRematerializable ? Kind.REMATERIALIZED : Kind.EXPANDED;
    }
  }

  /** An expression with this variable has a type that must be known. */
  void mention() {
    cross();
    isMentioned = true;
    mentions.forEach(Variable::mention);
    needs.forEach(Variable::mention);
  }

  /** As it is declared in the source. */
  String text() {
    return text(name(), declarator.initial());
  }

  /** As it is declared in the source, with another name and another initial value. */
  String text(String name, List<Token> initial) {
    return Tokens.code(declaration.plainType())
        + " "
        + Tokens.code(declarator.pointers())
        + " "
        + name
        + Tokens.code(declarator.dimensions())
        + " "
        + (ofWarp.isEmpty()
            ? Tokens.code(initial)
            : "= (decltype(" + Tokens.code(initial.subList(1, initial.size())) + "))" + ofWarp);
  }
}
