// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.translate.Translation.Form;
import org.jhal.cpu.translate.Translation.Place;
import org.jhal.cpu.translate.Translation.Rejected;
import org.jhal.kernels.bundle.EntryName;
import org.jspecify.annotations.Nullable;

/**
 * Translates preprocessed GPU C++ to C++ for the host: takes the source apart, finds the fastest
 * {@link Level} that fits each kernel, and writes it in that form. A kernel with anything unknown
 * gets a slower level, and its {@link Translation.Form} says why.
 */
public final class Translator {
  private final SourceFile source; // in which functions are given the item
  private final SourceFile plain; // in which they are not
  private final CallGraph calls;
  private final String what;
  private final String preprocessed;
  private final WorkgroupFunctions workgroups;
  private final Map<String, KernelRequest> sizes = new HashMap<>(); // by kernel
  private final Map<String, String> groups = new HashMap<>(); // NAME__groups by kernel, if it fits
  private final Map<String, List<Token>> coroutines = new HashMap<>(); // by kernel, if it fits
  private final Map<String, String> reasons = new HashMap<>(); // why a kernel does not fit
  private final Set<String> notInLockstep =
      new HashSet<>(); // kernels for which it does not pay, or compile

  private Translator(String preprocessed, String what, boolean saturates) {
    this.what = what;
    this.preprocessed = preprocessed;
    List<Token> tokens = Lexer.tokens(preprocessed);
    Brackets.check(tokens);
    List<Token> named = ParameterNames.given(FunctionNames.written(Specifiers.without(tokens)));
    List<Token> known = Assembly.refuse(named);
    List<Token> all = ActiveLanes.numbered(saturates ? SaturatingCasts.mark(known) : known);
    List<Token> methods = StaticMethods.withFunctions(ObjectMethods.withFunctions(all));
    SourceFile unchanged = new SourceFile(methods);
    this.calls = new CallGraph(unchanged);
    calls.doubt(UnresolvedNames.in(unchanged, calls));
    this.source = new SourceFile(ItemRewriter.rewrite(unchanged, calls));
    List<Token> pointers = DynamicShared.asPointers(all);
    this.plain = new SourceFile(ActiveLanes.marked(pointers, all, calls));
    this.workgroups = new WorkgroupFunctions(source, calls);
  }

  /** What a translation includes. Headers that nothing can need would take time to compile. */
  private String headers(List<KernelRequest> kernels, boolean isLockstep) {
    StringBuilder headers = new StringBuilder();
    if (mentions("half", kernels) || mentions("bfloat16", kernels)) {
      headers.append("#define HAL_SHORT_FLOATS 1\n");
    }
    if (isLockstep) {
      headers.append("#define HAL_LOCKSTEP 1\n");
    }
    if (mentions("std", kernels)) {
      headers.append("#define HAL_STANDARD 1\n");
    }
    return headers.append("#include \"hal_cpu.h\"\n").toString();
  }

  /** Whether the source has a word or a part of one, or a kernel that is named by an expression. */
  private boolean mentions(String part, List<KernelRequest> kernels) {
    return preprocessed.contains(part)
        || kernels.stream().anyMatch(kernel -> kernel.entry().contains(part));
  }

  /**
   * Translates a source.
   *
   * @param preprocessed what {@code c++ -E} wrote
   * @param kernels those to run, by index
   * @param forced the level to use, for tests and to check kernels; null for the fastest that fits
   *     each kernel. ASKING leaves all code as it is
   * @throws HalException as below
   */
  public static Translation translate(
      String preprocessed, List<KernelRequest> kernels, @Nullable Level forced) {
    return translate(preprocessed, "the source", kernels, forced, Map.of(), true, true);
  }

  /**
   * Translates a source.
   *
   * @param what is being compiled, for people
   * @param rejected the forms that do not compile, by {@link KernelRequest#entry}
   * @param saturates whether casts saturate; without, some compile that otherwise do not
   * @param hasWideVectors whether the processor has vectors of eight numbers or more
   * @throws HalException NOT_FOUND if there is no such kernel, INVALID_ARGUMENT if the source is no
   *     C++
   */
  public static Translation translate(
      String preprocessed,
      String what,
      List<KernelRequest> kernels,
      @Nullable Level forced,
      Map<String, Rejected> rejected,
      boolean saturates,
      boolean hasWideVectors) {
    return run(
        preprocessed,
        what,
        saturates,
        translator -> translator.translate(kernels, forced, rejected, hasWideVectors));
  }

  /**
   * The source with all its kernels as they are, and none to run, for the compiler's messages.
   *
   * @throws HalException INVALID_ARGUMENT if the source is no C++
   */
  public static Translation unchanged(String preprocessed, String what) {
    return run(preprocessed, what, false, Translator::unchanged);
  }

  private interface Body {
    Translation of(Translator translator);
  }

  /** The one place that reports what cannot be read. */
  private static Translation run(String preprocessed, String what, boolean saturates, Body body) {
    try {
      return body.of(new Translator(preprocessed, what, saturates));
    } catch (HalException e) {
      throw e;
    } catch (SyntaxException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "cannot compile " + what + ":\n" + e.getMessage(), e);
    } catch (RuntimeException | StackOverflowError e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "cannot compile " + what + ": it has code that cannot be translated for the CPU: " + e,
          e);
    }
  }

  private Translation unchanged() {
    Set<String> all = new HashSet<>();
    source.functions().stream().filter(Function::isKernel).forEach(each -> all.add(each.text()));
    Writer out = new Writer();
    out.raw(headers(List.of(), false));
    new SourceWriter(source, plain, calls).write(out, Map.of(), Map.of(), Set.of(), all);
    return new Translation(out.toString(), List.of(), List.of(), List.of(), false);
  }

  private Translation translate(
      List<KernelRequest> kernels,
      @Nullable Level forced,
      Map<String, Rejected> rejected,
      boolean hasWideVectors) {
    List<Form> forms = new ArrayList<>();
    List<Place> places = new ArrayList<>();
    Map<String, String> divided = new HashMap<>();
    Map<String, List<Token>> stopping = new HashMap<>();
    Set<String> withItem = new HashSet<>(); // kernels that are given the item
    Set<String> unchanged = new HashSet<>();
    for (KernelRequest kernel : kernels) {
      sizes.merge(kernel.name(), kernel, Translator::narrower);
    }
    for (KernelRequest kernel : kernels) {
      Rejected before = rejected.get(kernel.entry());
      boolean isRejected = before != null && before.level() == Level.LOCKSTEP;
      if (isRejected || !hasWideVectors) {
        notInLockstep.add(kernel.name());
      }
    }
    for (KernelRequest kernel : kernels) {
      Function function = find(kernel);
      Form form = form(function, forced, rejected.get(kernel.entry()));
      forms.add(form);
      places.add(function.place());
      switch (form.level()) {
        case LOCKSTEP, FISSION ->
            divided.put(kernel.name(), Objects.requireNonNull(groups.get(kernel.name())));
        case COROUTINE ->
            stopping.put(kernel.name(), Objects.requireNonNull(coroutines.get(kernel.name())));
        case PLAIN -> withItem.add(kernel.name());
        case ASKING, FIBER -> unchanged.add(kernel.name());
      }
    }
    Writer out = new Writer();
    out.raw(headers(kernels, forms.stream().anyMatch(each -> each.level() == Level.LOCKSTEP)));
    new SourceWriter(source, plain, calls).write(out, divided, stopping, withItem, unchanged);
    out.generated();
    for (int i = 0; i < kernels.size(); i++) {
      SourceWriter.entry(out, i, kernels.get(i), forms.get(i), isFoundByName(kernels.get(i)));
    }
    List<String> entries = kernels.stream().map(KernelRequest::entry).toList();
    boolean hasMasks = divided.keySet().stream().anyMatch(workgroups::isMasked);
    return new Translation(out.toString(), entries, forms, places, hasMasks);
  }

  /** A size that says what holds for both. */
  private static KernelRequest narrower(KernelRequest a, KernelRequest b) {
    return new KernelRequest(
        a.entry(), Math.min(a.x(), b.x()), Math.max(a.y(), b.y()), Math.max(a.z(), b.z()));
  }

  private Function find(KernelRequest kernel) {
    for (Function function : source.functions()) {
      if (function.hasBody() && function.isKernel() && function.text().equals(kernel.name())) {
        return function;
      }
    }
    String names =
        source.functions().stream()
            .filter(each -> each.hasBody() && each.isKernel())
            .map(each -> "'" + each.text() + "'")
            .distinct()
            .collect(Collectors.joining(", "));
    throw new HalException( // an expression is compiled, and fails as other code does
        EntryName.isExpression(kernel.entry()) ? Status.INVALID_ARGUMENT : Status.NOT_FOUND,
        "%s has no kernel '%s'; it has %s"
            .formatted(what, kernel.entry(), names.isEmpty() ? "none" : names));
  }

  /** Whether the compiler of a GPU leaves the name of a kernel as it is, or is asked for it. */
  private boolean isFoundByName(KernelRequest kernel) {
    return EntryName.isExpression(kernel.entry())
        || source.functions().stream()
            .anyMatch(function -> function.isC() && function.text().equals(kernel.name()));
  }

  // Levels.

  private Form form(Function kernel, @Nullable Level forced, @Nullable Rejected rejected) {
    boolean meets = calls.reachesBarrier(kernel.text());
    boolean shares = kernel.statements().stream().anyMatch(token -> token.is("__shared__"));
    List<String> why = new ArrayList<>();
    if (rejected != null) {
      why.add(rejected.why());
    }
    if (forced == Level.ASKING) {
      return asking(kernel, false, forced, "checked", rejected);
    }
    String unseen = calls.doubt(kernel.text());
    if (calls.asksThroughClass(kernel.text())) {
      unseen = "a class asks for the work item";
    }
    if (!unseen.isEmpty() || (rejected != null && isLast(rejected))) {
      return asking(kernel, shares, forced, rejected == null ? unseen : rejected.why(), rejected);
    }
    boolean mayLoop = forced != Level.COROUTINE && forced != Level.FIBER;
    boolean mayDivide =
        rejected == null || (rejected.level() == Level.LOCKSTEP && !rejected.asks());
    if (mayDivide && mayLoop) {
      String no = divide(kernel, forced == null && !notInLockstep.contains(kernel.text()));
      if (no.isEmpty()) {
        boolean isLockstep = workgroups.hasLockstep(kernel.text());
        return new Form(isLockstep ? Level.LOCKSTEP : Level.FISSION, meets, String.join("; ", why));
      }
      why.add(no);
    }
    boolean isRejected = rejected != null && !mayDivide;
    if (!meets && (isRejected || (mayLoop && !shares))) {
      return new Form(Level.PLAIN, false, reasons(why));
    }
    if (!meets && forced == Level.COROUTINE) {
      why.add("items that never meet are no coroutines, and the option barriers allows no loop");
    }
    if (forced != Level.FIBER && meets) {
      String no = stop(kernel);
      if (no.isEmpty()) {
        return new Form(Level.COROUTINE, true, reasons(why));
      }
      if (!why.contains(no)) {
        why.add(no);
      }
    }
    return new Form(Level.FIBER, meets, reasons(why));
  }

  /** The form of a kernel with code that asks the thread for the item. */
  private Form asking(
      Function kernel,
      boolean shares,
      @Nullable Level forced,
      String why,
      @Nullable Rejected rejected) {
    boolean meets = calls.mayReachBarrier(kernel.text());
    boolean mustStop =
        meets
            || shares
            || forced == Level.FIBER
            || (rejected != null && rejected.level() == Level.ASKING);
    return new Form(mustStop ? Level.FIBER : Level.ASKING, meets, why);
  }

  /** Whether only forms are left in which code asks the thread for the item. */
  private static boolean isLast(Rejected rejected) {
    return rejected.asks()
        || rejected.level() == Level.PLAIN
        || rejected.level() == Level.COROUTINE;
  }

  private static String reasons(List<String> why) {
    return why.isEmpty() ? "as the option barriers demands" : String.join("; ", why);
  }

  /** Makes a kernel a coroutine. Returns why that is not possible; empty if it is. */
  private String stop(Function kernel) {
    try {
      coroutines.put(kernel.text(), Coroutine.of(kernel, calls, new EvaluationOrder(source)));
      return "";
    } catch (UnfitException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Divides a kernel. Returns why that is not possible; empty if it is.
   *
   * @param isLockstep whether items may go through loops together
   */
  private String divide(Function kernel, boolean isLockstep) {
    String name = kernel.text();
    if (groups.containsKey(name)) {
      return "";
    }
    return reasons.computeIfAbsent(
        name,
        ignored -> {
          try {
            groups.put(name, groups(kernel, isLockstep));
            return "";
          } catch (UnfitException e) {
            return String.valueOf(e.getMessage());
          }
        });
  }

  private String groups(Function kernel, boolean isLockstep) throws UnfitException {
    KernelRequest size = Objects.requireNonNull(sizes.get(kernel.text()));
    LockstepFunctions functions = workgroups.lockstepFunctions();
    if (isLockstep && functions.hasLoops(kernel)) {
      for (Set<String> inlined : functions.choices(kernel)) {
        try {
          String divided = workgroups.function(kernel, size, true, inlined);
          if (workgroups.hasLockstep(kernel.text())) {
            return divided;
          }
        } catch (UnfitException e) {
          continue; // with fewer functions it may fit; otherwise no loop is in lockstep
        }
      }
    }
    return workgroups.function(kernel, size, false, Set.of());
  }
}
