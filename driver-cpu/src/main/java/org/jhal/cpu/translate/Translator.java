package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.translate.Translation.Form;
import org.jhal.driver.bundle.EntryName;
import org.jspecify.annotations.Nullable;

/** Translates preprocessed GPU C++ to C++ for the host. */
public final class Translator {
  private final List<Token> tokens;
  private final SourceFile source;
  private final Calls calls;
  private final Set<String> takers = new HashSet<>();
  private final Map<String, String> groups = new HashMap<>(); // NAME__groups by kernel, if it fits
  private final Map<String, List<Token>> coroutines = new HashMap<>(); // by kernel, if it fits
  private final Map<String, String> reasons = new HashMap<>(); // why a kernel does not fit

  private Translator(String preprocessed) {
    this.tokens = ItemRewriter.rewrite(Lexer.tokens(preprocessed));
    this.source = new SourceFile(tokens);
    this.calls = new Calls(source);
    for (Function function : source.functions()) {
      for (List<Token> parameter : function.parameters()) {
        boolean isReference = parameter.stream().anyMatch(token -> token.is("&"));
        boolean isConstant = parameter.get(0).is("const") || parameter.get(0).is("hal_item");
        if (isReference && !isConstant) {
          takers.add(function.text());
        }
      }
    }
  }

  /**
   * Translates a source.
   *
   * @param preprocessed what {@code c++ -E} wrote
   * @param kernels those to run, by index
   * @param forced the level to use, for tests; null for the fastest that fits each kernel
   * @throws HalException NOT_FOUND if there is no such kernel
   */
  public static Translation translate(
      String preprocessed, List<KernelRequest> kernels, @Nullable Level forced) {
    return new Translator(preprocessed).translate(kernels, forced);
  }

  private Translation translate(List<KernelRequest> kernels, @Nullable Level forced) {
    List<Form> forms = new ArrayList<>();
    Set<String> divided = new HashSet<>();
    Set<String> stopping = new HashSet<>();
    Set<String> whole = new HashSet<>();
    for (KernelRequest kernel : kernels) {
      Form form = form(find(kernel), forced);
      forms.add(form);
      switch (form.level()) {
        case FISSION -> divided.add(kernel.name());
        case COROUTINE -> stopping.add(kernel.name());
        case PLAIN, FIBER -> whole.add(kernel.name());
      }
    }
    Writer out = new Writer();
    out.raw("#include \"hal_cpu.h\"\n");
    write(out, divided, stopping, whole);
    out.generated();
    for (int i = 0; i < kernels.size(); i++) {
      entry(out, i, kernels.get(i), forms.get(i).level());
    }
    return new Translation(out.toString(), forms);
  }

  private Function find(KernelRequest kernel) {
    for (Function function : source.functions()) {
      if (function.hasBody() && function.isKernel() && function.text().equals(kernel.name())) {
        return function;
      }
    }
    throw new HalException( // an expression is compiled, and fails as other code does
        EntryName.isExpression(kernel.entry()) ? Status.INVALID_ARGUMENT : Status.NOT_FOUND,
        "the source has no kernel '" + kernel.entry() + "'");
  }

  // Levels.

  private Form form(Function kernel, @Nullable Level forced) {
    boolean meets = calls.hasMeeting(kernel.text());
    boolean shares = kernel.statements().stream().anyMatch(token -> token.is("__shared__"));
    if (!meets && !shares && (forced == null || forced == Level.PLAIN)) {
      return new Form(divide(kernel).isEmpty() ? Level.FISSION : Level.PLAIN, "");
    }
    String why = "";
    if (forced == null || forced == Level.FISSION) {
      why = divide(kernel);
      if (why.isEmpty()) {
        return new Form(Level.FISSION, "");
      }
    }
    if (forced != Level.FIBER && meets) {
      String other = stop(kernel);
      if (other.isEmpty()) {
        return new Form(Level.COROUTINE, why);
      }
      why += (why.isEmpty() ? "" : "; ") + other;
    }
    return new Form(Level.FIBER, why);
  }

  /** Makes a kernel a coroutine. Returns why that is not possible; empty if it is. */
  private String stop(Function kernel) {
    try {
      coroutines.put(kernel.text(), Coroutine.of(kernel, calls));
      return "";
    } catch (UnfitException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Divides a kernel. Returns why that is not possible; empty if it is. */
  private String divide(Function kernel) {
    String name = kernel.text();
    if (groups.containsKey(name)) {
      return "";
    }
    return reasons.computeIfAbsent(
        name,
        ignored -> {
          try {
            groups.put(name, groups(kernel));
            return "";
          } catch (UnfitException e) {
            return String.valueOf(e.getMessage());
          }
        });
  }

  private String groups(Function kernel) throws UnfitException {
    List<Token> body = kernel.statements();
    List<Statement> statements = Meetings.find(StatementParser.parse(body), source, calls);
    List<Token> all = new ArrayList<>(); // with those of the functions that were written out
    for (Statement statement : statements) {
      Planner.collect(statement, all);
    }
    Names names = new Names(all, source.variables(), takers);
    List<List<Token>> parameters = new ArrayList<>();
    Set<String> known = new HashSet<>();
    List<Statement> copies = new ArrayList<>();
    for (List<Token> parameter : kernel.parameters()) {
      if (parameter.get(0).is("hal_item")) {
        continue;
      }
      List<Token> own = parameter.subList(0, Tokens.find(parameter, 0, "="));
      Token name = own.get(own.size() - 1);
      if (names.isAssigned(name.text())) { // then each item has its own
        List<Token> copy = new ArrayList<>(own.subList(0, own.size() - 1));
        Token passed = new Token(Token.Kind.WORD, "hal_" + name, true, name.file(), name.line());
        List<Token> declared = new ArrayList<>(own);
        declared.add(Token.mark("=", name));
        declared.add(passed);
        Declarations.Declaration declaration = Declarations.of(declared);
        if (declaration == null) {
          throw new UnfitException("a parameter of another kind than usual", name);
        }
        copies.add(new Statement.Variables(declaration, declared));
        copy.add(passed);
        parameters.add(copy);
        known.add(passed.text());
      } else {
        parameters.add(own);
        known.add(name.text());
      }
    }
    copies.addAll(statements);
    Planner planner = new Planner(names, known);
    List<Step> steps = planner.plan(copies);
    Writer out = new Writer();
    out.goTo(source.tokens().get(kernel.name()));
    Fission.write(kernel.text(), kernel.templateParameters(), parameters, planner, steps, out);
    return out.toString();
  }

  // Output.

  /** Writes the source, with the divided kernels in their new form, and without the host's code. */
  private void write(Writer out, Set<String> divided, Set<String> stopping, Set<String> whole) {
    Map<Integer, Function> starts = new HashMap<>();
    source.functions().forEach(function -> starts.put(function.start(), function));
    Map<Integer, Integer> skipped = new HashMap<>();
    source.instantiations().forEach(range -> skipped.put(range[0], range[1]));
    Set<String> kernels = new HashSet<>(divided);
    kernels.addAll(stopping);
    kernels.addAll(whole);
    Set<String> used = used(starts, kernels);
    for (int i = 0; i < tokens.size(); i++) {
      if (skipped.containsKey(i)) {
        i = skipped.get(i) - 1;
        continue;
      }
      Function function = starts.get(i);
      if (function == null) {
        out.token(tokens.get(i), tokens.get(i).text());
        continue;
      }
      String name = function.text();
      if (function.isKernel() && function.hasBody()) {
        if (divided.contains(name)) {
          out.raw("\nextern \"C++\" {\n" + groups.get(name) + "}\n");
          out.generated();
        }
        if (stopping.contains(name)) {
          out.tokens(Objects.requireNonNull(coroutines.get(name)));
        }
        if (whole.contains(name)) {
          int from = function.start();
          if (tokens.get(from).is("extern")) {
            from += 2;
          }
          out.tokens(tokens.subList(from, function.end()));
        }
      } else if (!function.isKernel() && (!function.isForHost() || used.contains(name))) {
        out.tokens(tokens.subList(function.start(), function.end()));
      }
      i = function.end() - 1;
    }
  }

  /** The words outside functions, and in those functions that the kernels use. */
  private Set<String> used(Map<Integer, Function> starts, Set<String> kernels) {
    Set<String> used = new HashSet<>();
    for (int i = 0; i < tokens.size(); i++) {
      Function function = starts.get(i);
      if (function == null) {
        used.add(tokens.get(i).text());
      } else {
        i = function.end() - 1;
      }
    }
    List<Function> left = new ArrayList<>(source.functions());
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (Function function : List.copyOf(left)) {
        String name = function.text();
        if (kernels.contains(name)
            || used.contains(name)
            || (!function.isForHost() && !function.isKernel())) {
          tokens
              .subList(function.name() + 1, function.end())
              .forEach(word -> used.add(word.text()));
          left.remove(function);
          isChanged = true;
        }
      }
    }
    return used;
  }

  private static void entry(Writer out, int index, KernelRequest kernel, Level level) {
    String form =
        switch (level) {
          case PLAIN -> "hal_plain";
          case FISSION -> "hal_divided";
          case COROUTINE -> "hal_coroutines";
          case FIBER -> "hal_fibers";
        };
    String function =
        level == Level.FISSION
            ? kernel.scope()
                + kernel.name()
                + "__groups<"
                + kernel.sizes()
                + kernel.arguments()
                + ">"
            : kernel.entry();
    out.raw("HAL_ENTRY(%d, %s, (%s), (%s))\n".formatted(index, form, kernel.sizes(), function));
  }
}
