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
import org.jhal.cpu.translate.Changes.Effect;

/** What a kernel may use of the source around it: functions, classes, and variables that change. */
final class Source {
  /** Functions of no source that return a pointer or a reference to their argument. */
  private static final Set<String> ADDRESSES =
      Set.of(
          "const_cast",
          "__builtin_addressof",
          "addressof",
          "ref",
          "cref",
          "tie",
          "forward",
          "move",
          "as_const",
          "begin",
          "end",
          "data");

  /** Namespaces and the like whose functions are those of the dialect. */
  private static final Set<String> NAMESPACES = Set.of("std", "cooperative_groups", "cg");

  private static final Set<String> NUMBERS =
      Set.of("bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double");

  /** Functions of the dialect whose results are numbers. */
  private static final Set<String> CALLS =
      Set.of(
          "min", "max", "abs", "fabs", "fabsf", "fmin", "fminf", "fmax", "fmaxf", "fma", "fmaf",
          "sqrt", "sqrtf", "rsqrtf", "exp", "expf", "log", "logf", "sin", "sinf", "cos", "cosf");

  /** Words that declare a type, somewhere before the next semicolon. */
  private static final Set<String> DECLARING =
      Set.of("typedef", "using", "struct", "class", "union", "enum", "typename");

  /** What ends the names that such a word begins, in templates too. */
  private static final Set<String> ENDS = Set.of("{", "}", ";", ",", ">", ")");

  /** Words of statements that have no value, or that of a number. */
  private static final Set<String> OTHER_WORDS =
      Set.of("const", "if", "for", "while", "return", "else", "__shared__", "true", "false");

  private final SourceFile file;
  private final Set<String> longIntegers = new HashSet<>(); // and all else that mentions one
  private final Types types;
  private final Map<String, List<Function>> functions = new HashMap<>();
  private final Map<Function, Changes> bodies = new HashMap<>();
  private final Set<Function> open = new HashSet<>(); // whose bodies are being looked at
  private final Set<String> left = new HashSet<>(); // operators that may change an operand
  private final Set<String> right = new HashSet<>();
  private final Set<String> friends = new HashSet<>(); // functions that classes declare
  private boolean hasOperators;
  private final Set<String> typeNames = new HashSet<>(); // which the source may declare

  Source(SourceFile file) {
    this.file = file;
    file.aliases().stream()
        .filter(each -> each.tokens().stream().anyMatch(token -> token.is("long")))
        .forEach(each -> longIntegers.add(each.name()));
    this.types = new Types(file.tokens());
    for (Function function : file.functions()) {
      functions.computeIfAbsent(function.text(), name -> new ArrayList<>()).add(function);
    }
    for (int i = 0; i < file.tokens().size(); i++) {
      if (file.tokens().get(i).is("operator")) {
        operator(i + 1);
      } else if (DECLARING.contains(file.tokens().get(i).text())) {
        typeNames(i);
      } else if (file.tokens().get(i).is("friend")) {
        friends.add(Tokens.get(file.tokens(), Tokens.find(file.tokens(), i, "(", ";") - 1).text());
      }
    }
  }

  /** Remembers all words that may be the name of what is declared here. */
  private void typeNames(int at) {
    List<Token> tokens = file.tokens();
    Token first = tokens.get(at);
    if (first.is("typedef") || first.is("using")) {
      words(at, Tokens.find(tokens, at, ";"));
      return;
    }
    int end = at;
    while (end < tokens.size() && !ENDS.contains(tokens.get(end).text())) {
      end = tokens.get(end).is("(") ? Tokens.close(tokens, end) + 1 : end + 1;
    }
    words(at, Math.min(end, tokens.size()));
    if (Tokens.is(tokens, end, "{")) { // struct { ... } name;
      int close = Tokens.close(tokens, end);
      words(close + 1, Tokens.find(tokens, close + 1, ";", "("));
    }
  }

  private void words(int from, int to) {
    for (int i = from; i < Math.min(to, file.tokens().size()); i++) {
      typeNames.add(file.tokens().get(i).text());
    }
  }

  private void operator(int at) {
    List<Token> tokens = file.tokens();
    int open = at;
    StringBuilder mark = new StringBuilder();
    while (Tokens.get(tokens, open).kind() == Token.Kind.MARK && !Tokens.is(tokens, open, "(")) {
      mark.append(tokens.get(open++).text());
    }
    if (mark.isEmpty() || !Tokens.is(tokens, open, "(")) {
      return;
    }
    hasOperators = true;
    List<List<Token>> parameters =
        Tokens.split(tokens.subList(open + 1, Tokens.close(tokens, open)));
    if (!parameters.isEmpty()) {
      if (mayChange(parameters.get(parameters.size() - 1))) {
        right.add(mark.toString());
      }
      if (parameters.size() > 1 && mayChange(parameters.get(0))) {
        left.add(mark.toString());
      }
    }
  }

  /** Whether the parameter of an operator may be its operand, rather than a copy or a class. */
  private boolean mayChange(List<Token> parameter) {
    boolean isConstant =
        parameter.get(0).is("const") && parameter.stream().noneMatch(token -> token.is("*"));
    return types.mayKeep(parameter)
        && !(isConstant && parameter.stream().anyMatch(token -> types.mayKeep(token.text())));
  }

  Types types() {
    return types;
  }

  /** Whether there are operators that are functions. */
  boolean hasOperators() {
    return hasOperators;
  }

  /** Variables outside functions, some of which may be constant. */
  Set<String> globals() {
    return file.variables();
  }

  /** Whether a name of an integer stands for one of 64 bits in the source. */
  boolean isLongInteger(String name) {
    return longIntegers.contains(name);
  }

  /** The words that declare a constant outside functions; empty if no other thing has its name. */
  List<Token> constant(String name) {
    List<SourceFile.Named> all =
        file.aliases().stream().filter(each -> each.name().equals(name)).toList();
    if (all.size() != 1 || !file.variables().contains(name)) {
      return List.of();
    }
    List<Token> tokens = all.get(0).tokens();
    int at = 0;
    while (at < tokens.size() && !tokens.get(at).is(name)) {
      at++;
    }
    List<Token> words = tokens.subList(0, at);
    boolean isConstant = words.stream().anyMatch(word -> word.is("const") || word.is("constexpr"));
    return isConstant && at < tokens.size() ? words : List.of();
  }

  /** Whether a name may be that of anything that the source declares outside kernels. */
  boolean declares(String name) {
    return isFunction(name) || declaresOther(name);
  }

  /** Whether a name may be that of anything but a function. */
  boolean declaresOther(String name) {
    return friends.contains(name)
        || typeNames.contains(name)
        || types.mayBeClass(List.of(Token.word(name, Token.SEMICOLON)))
        || file.variables().contains(name);
  }

  /** Whether the source only calls what has a name, in functions, and declares nothing of it. */
  boolean isOnlyCalled(String name) {
    List<Token> tokens = file.tokens();
    List<Function> bodies = file.functions().stream().filter(Function::hasBody).toList();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).is(name)) {
        int at = i;
        Token before = Tokens.get(tokens, i - 1);
        boolean isCall =
            Tokens.is(tokens, i + 1, "(")
                && !before.is("&")
                && (!before.isWord() || before.is("return") || before.is("else"))
                && bodies.stream().anyMatch(each -> each.body() < at && at < each.end());
        if (!isCall) {
          return false;
        }
      }
    }
    return !declares(name);
  }

  boolean isFunction(String name) {
    return functions.containsKey(name);
  }

  /**
   * What calls do to their arguments. Those of the dialect do nothing. Methods, lambdas and
   * constructors of the source's classes may do anything.
   *
   * @param own variables of the kernel, which may be lambdas, with their types
   */
  Changes.Callees callees(Map<String, List<Token>> own) {
    return callees(own, true);
  }

  private Changes.Callees callees(Map<String, List<Token>> own, boolean mayKeepResults) {
    return new Changes.Callees() {
      @Override
      public boolean mayKeepResults() {
        return mayKeepResults;
      }

      @Override
      public Effect call(List<Token> tokens, int name, List<List<Token>> arguments, int index) {
        return Source.this.call(own, tokens, name, arguments, index);
      }

      @Override
      public boolean mayKeep(List<Token> type) {
        return types.mayKeep(type);
      }

      @Override
      public boolean changesLeft(String mark) {
        return left.contains(mark);
      }

      @Override
      public boolean changesRight(String mark) {
        return right.contains(mark);
      }

      @Override
      public boolean isOfLanguage(String word) {
        return Source.this.isOfLanguage(own, word);
      }

      @Override
      public boolean isPointer(String word) {
        List<Token> type = own.getOrDefault(word, List.of());
        return isOfLanguage(word) && type.stream().anyMatch(token -> token.is("*"));
      }
    };
  }

  private boolean isOfLanguage(Map<String, List<Token>> own, String word) {
    List<Token> type = own.get(word);
    return type == null
        ? isNumber(word) || OTHER_WORDS.contains(word) || (CALLS.contains(word) && !declares(word))
        : type.stream().allMatch(token -> token.is("*") || isOfType(token.text()))
            && type.stream().anyMatch(token -> isNumber(token.text()));
  }

  private boolean isOfType(String word) {
    return isNumber(word) || word.equals("const") || word.startsWith("__restrict");
  }

  private boolean isNumber(String word) {
    return NUMBERS.contains(word)
        || (Declarations.INTEGERS.contains(word) && !typeNames.contains(word));
  }

  private Effect call(
      Map<String, List<Token>> own,
      List<Token> tokens,
      int name,
      List<List<Token>> arguments,
      int index) {
    Token called = tokens.get(name);
    if (!called.isWord()
        || own.containsKey(called.text())
        || file.variables().contains(called.text())
        || friends.contains(called.text())
        || types.mayKeep(called.text())
        || ADDRESSES.contains(called.text())
        || Tokens.isMember(tokens, name)
        || types.mayKeep(tokens.subList(Math.max(0, name - 1), name))) { // Foo foo(x)
      return Effect.ESCAPING;
    }
    if (Tokens.is(tokens, name - 1, "::")) {
      String qualifier = Tokens.get(tokens, name - 2).text();
      if (!NAMESPACES.contains(qualifier) && !file.namespaces().contains(qualifier)) {
        return Effect.ESCAPING;
      }
    }
    if (Tokens.is(tokens, name + 1, "<")) {
      int end = Math.max(name + 1, Tokens.closeAngle(tokens, name + 1));
      if (types.mayKeep(tokens.subList(name + 1, end))) { // f<int&>(x), static_cast<T&>(x)
        return Effect.ESCAPING;
      }
    }
    Effect effect = Effect.NONE;
    for (Function function : functions.getOrDefault(called.text(), List.of())) {
      Effect other = parameter(own, function, arguments, index);
      effect = other.compareTo(effect) > 0 ? other : effect;
    }
    return effect;
  }

  private Effect parameter(
      Map<String, List<Token>> own, Function function, List<List<Token>> arguments, int index) {
    List<List<Token>> parameters = function.parameters();
    List<Token> argument = arguments.get(index);
    boolean isGiven = Tokens.is(arguments.get(0), 0, "hal_self");
    boolean isTaken = !parameters.isEmpty() && parameters.get(0).get(0).is("hal_item");
    int at = index + (isTaken && !isGiven ? 1 : 0) - (isGiven && !isTaken ? 1 : 0);
    if (at < 0 || parameters.isEmpty()) {
      return Effect.NONE;
    }
    List<Token> parameter = parameters.get(Math.min(at, parameters.size() - 1)); // of a pack
    int end = Tokens.find(parameter, 0, "=");
    boolean isNamed =
        end > 1 && parameter.get(end - 1).isWord() && !types.mayKeep(parameter.get(end - 1).text());
    List<Token> type = parameter.subList(0, isNamed ? end - 1 : end);
    if (types.mayRefer(type)) {
      boolean isConstant =
          parameter.get(0).is("const") && type.stream().noneMatch(token -> token.is("*"));
      return isConstant
              && isReference(type)
              && isNamed
              && isOnlyRead(function, parameter.get(end - 1).text())
          ? Effect.NONE
          : Effect.ESCAPING;
    }
    if (!types.mayKeep(type)) {
      return Effect.NONE;
    }
    List<Token> declared = argument.size() == 1 ? own.get(argument.get(0).text()) : null;
    return declared != null && words(declared).equals(words(type)) ? Effect.NONE : Effect.CHANGED;
  }

  private static boolean isReference(List<Token> type) {
    return type.get(type.size() - 1).is("&");
  }

  private static List<String> words(List<Token> type) {
    return type.stream()
        .map(Token::text)
        .filter(text -> !text.equals("const"))
        .collect(Collectors.toList());
  }

  /** Whether a function only reads a parameter, as far as its body shows. */
  private boolean isOnlyRead(Function function, String parameter) {
    if (!function.hasBody()) { // the definition says it, if there is one
      return functions.getOrDefault(function.text(), List.of()).stream()
          .anyMatch(Function::hasBody);
    }
    if (!bodies.containsKey(function)) {
      if (!open.add(function)) {
        return false;
      }
      Map<String, List<Token>> own = new HashMap<>();
      for (List<Token> each : function.parameters()) {
        int end = Tokens.find(each, 0, "=");
        own.put(Tokens.get(each, end - 1).text(), each.subList(0, Math.max(0, end - 1)));
      }
      Casts casts = new Casts(own::containsKey);
      List<Token> result = function.result();
      boolean mayKeep = types.mayKeep(result) && !isReference(result);
      bodies.put(function, new Changes(function.statements(), casts, callees(own, mayKeep)));
      open.remove(function);
    }
    Changes changes = Objects.requireNonNull(bodies.get(function));
    return !changes.isAssigned(parameter)
        && !changes.isElementAssigned(parameter)
        && !changes.isEscaping(parameter);
  }
}
