// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns a kernel into a function that runs workgroups: its statements are parsed, the places found
 * where items meet, its variables named and looked at, and it is planned and written.
 */
final class WorkgroupFunctions {
  /** Items of a row for which loop interchange is worth it; half a vector at least. */
  private static final int WIDE = 8;

  /** How many workgroups may run as one: so many items, or rows of so many. */
  private static final String ITEMS = "HAL_MOST_GROUPS";

  private static final String ROWS = "HAL_MOST_ROWS";

  /** Rows of fewer items are written as a whole, under masks; HAL_LONG_ROW in hal_range.h. */
  private static final int LONG = 32;

  private static final Set<String> LOOPS = Set.of("for", "while", "do", "goto");

  private final SourceFile file;
  private final CallGraph calls;
  private final Source source;
  private final Destructors destructors;
  private final LockstepFunctions lockstepFunctions;
  private final boolean haveFunctionsOrder; // what is no kernel may order what items do
  private final boolean mayFunctionsWait; // and has loops, in which an item may wait for a lock
  private final Set<String> masked = new HashSet<>(); // kernels that compute under masks
  private final Set<String> inLockstep = new HashSet<>(); // kernels with loops in lockstep

  WorkgroupFunctions(SourceFile file, CallGraph calls) {
    this.file = file;
    this.calls = calls;
    this.source = new Source(file);
    this.destructors = new Destructors(file);
    this.lockstepFunctions = new LockstepFunctions(file, source);
    List<Token> outside = outsideKernels(file);
    this.haveFunctionsOrder =
        outside.stream().anyMatch(token -> token.isWord() && isOfOrder(token.text()));
    this.mayFunctionsWait =
        haveFunctionsOrder && outside.stream().anyMatch(token -> LOOPS.contains(token.text()));
  }

  /**
   * Whether the function of a kernel computes under masks: in a branch, for rows that are a few
   * vectors, which run as a whole.
   */
  boolean isMasked(String kernel) {
    return masked.contains(kernel);
  }

  /** Whether the function of a kernel that was written last has loops in lockstep. */
  boolean hasLockstep(String kernel) {
    return inLockstep.contains(kernel);
  }

  /** Which functions may become a part of a kernel for such loops. */
  LockstepFunctions lockstepFunctions() {
    return lockstepFunctions;
  }

  /** Whether a kernel, or a function that it may call, has a name. */
  private boolean isUsed(String name, Function kernel) {
    return file.functions().stream()
        .filter(each -> each == kernel || !each.isKernel())
        .flatMap(each -> file.tokens().subList(each.start(), each.end()).stream())
        .anyMatch(token -> token.is(name));
  }

  /** Whether an alias of the name of a wide integer may be another one. */
  private static boolean isOther(List<Token> alias) {
    return alias.stream()
        .filter(Token::isWord)
        .anyMatch(
            word ->
                !Declarations.INTEGERS.contains(word.text())
                    && !Set.of("typedef", "using", "std").contains(word.text()));
  }

  /**
   * The function {@code NAME__groups} of a kernel.
   *
   * @param isLockstep whether loops may run in lockstep
   * @param inlined functions that become parts of the kernel for that
   * @throws UnfitException if the kernel has something that is not known here
   */
  String function(Function kernel, KernelRequest size, boolean isLockstep, Set<String> inlined)
      throws UnfitException {
    masked.remove(kernel.text());
    inLockstep.remove(kernel.text());
    for (int i = kernel.open(); i < kernel.close(); i++) {
      Token next = file.tokens().get(i + 1);
      if (Tokens.is(file.tokens(), i, ",") && (next.is(",") || next.is(")"))) {
        throw new UnfitException("a missing parameter", next);
      }
    }
    Declarations.checkTypes(kernel.statements());
    for (String type : LocalTypes.names(kernel.statements(), file.namespaces())) {
      if (Declarations.INTEGERS.contains(type)) {
        throw new UnfitException("a type with the name " + type, file.tokens().get(kernel.name()));
      }
    }
    for (SourceFile.Named type : file.aliases()) {
      if (Declarations.INTEGERS.contains(type.name())
          && isOther(type.tokens())
          && isUsed(type.name(), kernel)) {
        throw new UnfitException("a type with the name " + type.name(), type.tokens().get(0));
      }
    }
    Set<String> parameters = new HashSet<>();
    for (List<Token> parameter : kernel.parameters()) {
      if (!parameter.get(0).is("hal_item")) {
        parameters.add(parameter.get(name(parameter)).text());
      }
    }
    List<Statement> parsed = StatementParser.parse(kernel.statements());
    parsed = isLockstep ? Switches.asBranches(parsed) : parsed;
    Set<String> own = new HashSet<>(parameters);
    Scopes.declared(parsed, own);
    List<Statement> statements =
        CountedLoops.asFor(
            SharedVariables.declaredFirst(
                Scopes.unique(
                    EarlyExits.asBranches(
                        BarrierLowering.find(parsed, file, calls, kernel, own, inlined),
                        source.hasOperators()),
                    parameters)));
    LocalTypes.check(statements, file.namespaces());
    return written(kernel, parameters, statements, size, isLockstep);
  }

  private String written(
      Function kernel,
      Set<String> parameters,
      List<Statement> statements,
      KernelRequest size,
      boolean isLockstep)
      throws UnfitException {
    Facts facts = facts(kernel, parameters, statements);
    String coarse = BlockCoarsening.condition(kernel, file, calls);
    String most = coarse.isEmpty() ? "1" : "(" + coarse + ") ? hal_many : 1";
    if (size.x() < LONG && coarse.isEmpty() && hasMasks(facts.statements)) {
      masked.add(kernel.text());
    }
    if (size.x() >= WIDE && !hasOrderOfItems(facts, parameters)) {
      StrideAnalysis strides =
          new StrideAnalysis(
              facts.statements, facts.purity, parameters, facts.uniform::isUniform, atomics(facts));
      boolean isRow = size.y() * size.z() == 1;
      LoopInterchange interchange =
          new LoopInterchange(facts.purity, source, strides, size.x(), isRow);
      while (!strides.hasOwnArrays()) {
        List<Statement> interchanged = interchange.interchange(statements);
        if (interchanged.isEmpty()) {
          break;
        }
        Facts again = facts(kernel, parameters, interchanged);
        if (interchange.isConvergent(again.uniform)) {
          try {
            return written(kernel, parameters, most, again, isLockstep);
          } catch (UnfitException e) {
            break; // more must be live across iterations than can
          }
        }
      }
    }
    return written(kernel, parameters, most, facts, isLockstep);
  }

  /** What is known about a kernel, and its statements with copies of parameters before them. */
  private record Facts(
      List<Statement> statements,
      List<List<Token>> passed,
      Purity purity,
      UniformityAnalysis uniform) {}

  private Facts facts(Function kernel, Set<String> parameters, List<Statement> statements)
      throws UnfitException {
    List<Token> all = new ArrayList<>(); // with those of the functions that were inlined
    statements.forEach(statement -> statement.collect(all));
    Map<String, List<Token>> declared = new HashMap<>();
    for (List<Token> parameter : kernel.parameters()) {
      if (!parameter.get(0).is("hal_item")) {
        int at = name(parameter);
        declared.put(parameter.get(at).text(), parameter.subList(0, at));
      }
    }
    Scopes.types(statements, declared);
    Purity purity = new Purity(all, declared, source);
    List<List<Token>> passed = new ArrayList<>();
    List<Statement> copies = new ArrayList<>();
    for (List<Token> parameter : kernel.parameters()) {
      if (!parameter.get(0).is("hal_item")) {
        passed.add(parameter(parameter, purity, copies));
      }
    }
    copies.addAll(statements);
    return new Facts(
        copies, passed, purity, new UniformityAnalysis(copies, purity, source, parameters));
  }

  private String written(
      Function kernel, Set<String> parameters, String most, Facts facts, boolean isLockstep)
      throws UnfitException {
    Lockstep lockstep =
        isLockstep && !hasOrder(facts)
            ? new Lockstep(
                new LockstepNames(
                    kernel, facts.statements, facts.purity, source, facts.uniform, parameters),
                facts.purity,
                source)
            : null;
    boolean isUnordered =
        facts.statements.stream().anyMatch(Statement::hasBarrier) && !hasOrder(facts);
    Privatization privatization = new Privatization(facts.purity, facts.uniform, parameters);
    LoopFission fission =
        new LoopFission(
            facts.uniform,
            privatization,
            isUnordered,
            each -> mayWait(each, facts.purity),
            lockstep);
    List<Step> steps = fission.plan(facts.statements);
    for (Variable variable : privatization.variables()) {
      destructors.check(variable);
      if (variable.kind == Variable.Kind.EXPANDED && isAligned(variable)) { // its elements are not
        throw new UnfitException(
            "a variable with an alignment of its own", variable.declarator.name());
      }
    }
    Writer out = new Writer();
    out.goTo(file.tokens().get(kernel.name()));
    Proofs proofs = new Proofs(facts.purity::isOwn, source.hasOperators());
    List<Token> template = kernel.templateParameters();
    Changes changes = facts.purity.changes();
    IndexWidening widening =
        new IndexWidening(
            file.tokens(),
            name -> !changes.isAssigned(name) && !changes.isEscaping(name),
            facts.purity::isPointer);
    OwnedAtomics atomics = atomics(facts);
    boolean isOneRegion = // which is run once
        steps.stream().filter(step -> !(step instanceof Step.Declared)).count() == 1
            && steps.get(steps.size() - 1) instanceof Step.Region;
    SharedCalls shared =
        new SharedCalls(kernel, file, source, facts.purity, !isOneRegion || hasOrder(facts));
    RegionWriter regions =
        new RegionWriter(
            out,
            proofs,
            widening,
            atomics,
            new InnerRanges(facts.purity, source, parameters),
            shared,
            adds(facts, parameters, atomics),
            new ConditionalStores(facts.statements),
            new Conjunctions(
                name -> DelayedAdds.isNumber(facts.purity.type(name)),
                name -> Tokens.text(facts.purity.type(name)).equals("bool")),
            new UnrollAndJam(facts.purity, source),
            lockstep);
    FissionWriter.write(
        kernel.text(),
        template,
        facts.passed,
        most.replace("hal_many", hasArrays(steps, fission, privatization) ? ITEMS : ROWS),
        fission,
        steps,
        proofs,
        regions,
        out);
    if (fission.hasLockstep()) {
      inLockstep.add(kernel.text());
    }
    return shared.with(out.toString());
  }

  /** Whether something is computed from elements in a branch that items may take differently. */
  private static boolean hasMasks(List<Statement> statements) {
    for (Statement statement : statements) {
      boolean isBranch = statement instanceof Statement.If choice && !choice.isConstant();
      if (isBranch ? computes(statement.inner()) : hasMasks(statement.inner())) {
        return true;
      }
    }
    return false;
  }

  private static boolean computes(List<Statement> statements) {
    List<Token> all = new ArrayList<>();
    statements.forEach(statement -> statement.collect(all));
    boolean hasElement = false;
    boolean computes = false;
    for (int i = 0; i < all.size(); i++) {
      hasElement |= all.get(i).is("[");
      computes |= Set.of("+", "-", "*", "/", "+=", "-=", "*=", "/=").contains(all.get(i).text());
      i = all.get(i).is("[") ? Tokens.close(all, i) : i;
    }
    return hasElement && computes;
  }

  private OwnedAtomics atomics(Facts facts) {
    return new OwnedAtomics(
        facts.statements, name -> facts.purity.isOwn(name) || source.declares(name));
  }

  private DelayedAdds adds(Facts facts, Set<String> parameters, OwnedAtomics owned) {
    Changes changes = facts.purity.changes();
    boolean isKnown =
        !haveFunctionsOrder && !facts.purity.isOwn("atomicAdd") && source.isOnlyCalled("atomicAdd");
    return new DelayedAdds(
        facts.statements,
        owned,
        name ->
            isKnown
                && parameters.contains(name)
                && !changes.isAssigned(name)
                && !changes.isEscaping(name)
                && DelayedAdds.isPointer(facts.purity.type(name)),
        name -> DelayedAdds.isNumber(facts.purity.type(name)),
        WorkgroupFunctions::isOfOrder);
  }

  /** What is no kernel: functions, methods, lambdas outside functions, types, variables. */
  private static List<Token> outsideKernels(SourceFile file) {
    BitSet kernels = new BitSet();
    for (Function function : file.functions()) {
      if (function.isKernel() && function.hasBody()) {
        kernels.set(function.body(), function.end());
      }
    }
    List<Token> outside = new ArrayList<>();
    for (int i = kernels.nextClearBit(0);
        i < file.tokens().size();
        i = kernels.nextClearBit(i + 1)) {
      outside.add(file.tokens().get(i));
    }
    return outside;
  }

  /** Whether an item may wait in a statement until another one goes on. */
  private boolean mayWait(Statement statement, Purity purity) {
    List<Token> tokens = new ArrayList<>();
    statement.collect(tokens);
    for (int i = 0; mayFunctionsWait && i < tokens.size(); i++) {
      String word = tokens.get(i).text();
      boolean isCall = Tokens.is(tokens, i + 1, "(") && source.declares(word);
      if (isCall || (purity.isOwn(word) && purity.isObject(word))) {
        return true;
      }
    }
    return waits(statement);
  }

  /** Whether it has a loop that does not count, with something that other items may change. */
  private static boolean waits(Statement statement) {
    boolean mayNotCount =
        statement instanceof Statement.Do
            || statement instanceof Statement.Opaque
            || (statement instanceof Statement.For loop
                && (loop.step().isEmpty() || loop.body().leaves()));
    List<Token> tokens = new ArrayList<>();
    statement.collect(tokens);
    return (mayNotCount
            && tokens.stream().anyMatch(each -> each.isWord() && isOfOrder(each.text())))
        || statement.inner().stream().anyMatch(WorkgroupFunctions::waits);
  }

  /**
   * Whether it may matter which items run first: not for atomic operations alone that make sums of
   * integers, of which no item asks for the result.
   */
  private boolean hasOrderOfItems(Facts facts, Set<String> parameters) {
    if (!hasOrder(facts)) {
      return false;
    }
    OwnedAtomics owned = atomics(facts);
    DelayedAdds adds = adds(facts, parameters, owned);
    return haveFunctionsOrder || hasOrder(facts.statements, owned, adds);
  }

  private static boolean hasOrder(
      List<Statement> statements, OwnedAtomics owned, DelayedAdds adds) {
    for (Statement statement : statements) {
      List<Token> tokens = new ArrayList<>();
      statement.own(tokens);
      boolean isSum =
          statement instanceof Statement.Plain
              && (!owned.sum(tokens).isEmpty() || adds.statement(tokens) != tokens);
      long words = tokens.stream().filter(each -> each.isWord() && isOfOrder(each.text())).count();
      if (words > (isSum ? 1 : 0) || hasOrder(statement.inner(), owned, adds)) {
        return true;
      }
    }
    return false;
  }

  /** Whether something has an element for each item. */
  private static boolean hasArrays(
      List<Step> steps, LoopFission fission, Privatization privatization) {
    return fission.hasReturns()
        || !steps.stream()
            .allMatch(step -> step instanceof Step.Region region && region.masks.isEmpty())
        || privatization.variables().stream()
            .anyMatch(variable -> variable.kind == Variable.Kind.EXPANDED);
  }

  private static boolean isAligned(Variable variable) {
    return variable.declaration.type().stream()
        .anyMatch(
            token -> token.is("alignas") || token.is("__align__") || token.is("__attribute__"));
  }

  /** Whether the kernel, or what it may use, may count on what other items have done. */
  private boolean hasOrder(Facts facts) {
    List<Token> all = new ArrayList<>();
    facts.statements.forEach(statement -> statement.collect(all));
    return haveFunctionsOrder
        || all.stream().anyMatch(token -> token.isWord() && isOfOrder(token.text()));
  }

  private static boolean isOfOrder(String word) {
    return word.startsWith("atomic")
        || word.startsWith("__atomic")
        || word.startsWith("__sync_")
        || word.startsWith("__threadfence")
        || word.equals("volatile")
        || word.equals("asm")
        || word.equals("__asm__");
  }

  /** A parameter as it is declared. Each item gets a copy of one that changes. */
  private static List<Token> parameter(List<Token> parameter, Purity purity, List<Statement> copies)
      throws UnfitException {
    List<Token> own = new ArrayList<>(parameter.subList(0, Tokens.find(parameter, 0, "=")));
    int at = name(own);
    Token name = own.get(at);
    Changes changes = purity.changes();
    boolean isPointer = own.stream().anyMatch(token -> token.is("*") || token.is("["));
    if (!changes.isAssigned(name.text())
        && !changes.isEscaping(name.text())
        && (isPointer || !changes.isElementAssigned(name.text()))) {
      boolean isConstant =
          Tokens.is(own, at - 1, "const")
              || (!isPointer && own.stream().anyMatch(token -> token.is("const")));
      if (!isConstant && !Tokens.is(own, at + 1, "[")) { // no item changes what all have
        own.add(at, Token.word("const", name));
      }
      return own;
    }
    Token passed = name.named("hal_param_" + name);
    boolean mayBeConstant =
        !Tokens.is(own, at + 1, "[")
            && (isPointer
                ? !Tokens.is(own, at - 1, "const")
                : own.stream().noneMatch(token -> token.is("const")));
    List<Token> copy = new ArrayList<>();
    copy.add(Token.word("auto", name));
    copy.add(name);
    copy.add(Token.mark("=", name));
    copy.add(passed);
    Generated.add(copy, copies);
    own.set(at, passed);
    if (mayBeConstant) {
      own.add(at, Token.word("const", name));
    }
    return own;
  }

  /** Where the name of a parameter is. */
  private static int name(List<Token> parameter) throws UnfitException {
    int end = Math.min(Tokens.find(parameter, 0, "="), Tokens.find(parameter, 0, "["));
    Token name = Tokens.get(parameter, end - 1);
    if (!name.isWord() || parameter.stream().anyMatch(token -> token.is("("))) {
      throw new UnfitException("a parameter of another kind than usual", parameter.get(0));
    }
    return end - 1;
  }
}
