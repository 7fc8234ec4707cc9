// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The call graph: which functions of a source need to know the work item that calls them, since
 * they or the functions that they call ask for its index, or make it wait for others.
 */
final class CallGraph {
  private static final Set<String> INDEXES = Set.of("threadIdx", "blockIdx", "blockDim", "gridDim");

  /** Functions of the dialect at which the items of a workgroup meet. */
  private static final Set<String> BARRIERS =
      Set.of("__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or");

  /** Asks which items of a warp are at the same place; it takes the place too. */
  static final String ACTIVE = "__activemask";

  /** Functions of the dialect at which the items of a warp meet. */
  private static final Set<String> WARP =
      Set.of(
          "__syncwarp",
          "__shfl_sync",
          "__shfl_up_sync",
          "__shfl_down_sync",
          "__shfl_xor_sync",
          "__ballot_sync",
          "__any_sync",
          "__all_sync",
          ACTIVE,
          "__reduce_add_sync",
          "__reduce_min_sync",
          "__reduce_max_sync",
          "__reduce_and_sync",
          "__reduce_or_sync",
          "__reduce_xor_sync",
          "__match_any_sync",
          "__match_all_sync");

  /** Functions of the dialect that take the item. */
  private static final Set<String> OTHERS =
      Set.of("this_thread_block", "this_grid", "coalesced_threads");

  /** Methods and functions of cooperative groups at which items meet. */
  private static final Set<String> OF_GROUPS =
      Set.of(
          "sync",
          "shfl",
          "shfl_up",
          "shfl_down",
          "shfl_xor",
          "ballot",
          "any",
          "all",
          "reduce",
          "inclusive_scan",
          "exclusive_scan",
          "coalesced_threads",
          "match_any",
          "binary_partition",
          "labeled_partition",
          "arrive",
          "wait",
          "arrive_and_wait");

  private final Map<String, Set<String>> words = new HashMap<>(); // of each function
  private final boolean hasGroups;
  private final Set<String> arrays; // of dynamic shared memory
  private final Set<String> withItem = new HashSet<>();
  private final Set<String> reaching = new HashSet<>();
  private final Set<String> ordering = new HashSet<>(); // what items do to memory
  private final Set<String> withActive = new HashSet<>();
  private final Set<String> called = new HashSet<>(); // functions, other than kernels
  private final Set<String> asking = new HashSet<>(); // through classes
  private final Set<String> mayReach = new HashSet<>(); // also through those
  private final Map<String, String> ambient = new HashMap<>(); // a doubt, by what has to do with it

  CallGraph(SourceFile source) {
    hasGroups = source.tokens().stream().anyMatch(token -> token.is("cooperative_groups"));
    arrays = DynamicShared.names(source.tokens());
    Map<String, Set<String>> others = new HashMap<>(); // of classes, aliases and variables
    Set<String> names = new HashSet<>();
    source.functions().forEach(each -> names.add(each.text()));
    for (List<SourceFile.Named> named : List.of(source.classes(), source.aliases())) {
      for (SourceFile.Named each : named) {
        Set<String> own = others.computeIfAbsent(each.name(), name -> new HashSet<>());
        addWords(each, names, own);
      }
    }
    for (Function function : source.functions()) {
      Set<String> own = new HashSet<>();
      for (int i = function.open(); i < function.end(); i++) {
        Token token = source.tokens().get(i);
        if (token.isWord() && !isField(source.tokens(), i)) {
          own.add(token.text());
        }
      }
      if (function.isPlain() && !function.isKernel()) {
        called.add(function.text());
      }
      if (function.isPlain()) {
        words.computeIfAbsent(function.text(), name -> new HashSet<>()).addAll(own);
        continue;
      }
      Set<String> owners = new HashSet<>(Set.of(function.owner())); // that of an operand, too
      if (function.isOperator()) {
        function.parameters().forEach(each -> each.forEach(word -> owners.add(word.text())));
      }
      owners.retainAll(others.keySet());
      owners.forEach(owner -> Objects.requireNonNull(others.get(owner)).addAll(own));
    }
    propagate(words, withItem, this::takesItem);
    propagate(words, reaching, this::synchronizes);
    propagate(words, ordering, CallGraph::ordersMemory);
    propagate(words, withActive, ACTIVE::equals);
    propagate(others, asking, word -> isOfDialect(word) || withItem.contains(word));
    propagate(words, asking, word -> false);
    words.forEach((name, own) -> others.merge(name, own, CallGraph::both));
    propagate(others, mayReach, this::synchronizes);
  }

  /** Leaves functions alone, and what uses them: none of these is given the item. */
  void doubt(Map<String, UnfitException> doubts) {
    Map<String, List<String>> users = users(words);
    Deque<String> left = new ArrayDeque<>();
    doubts.forEach(
        (function, doubt) -> {
          ambient.put(function, String.valueOf(doubt.getMessage()));
          left.add(function);
        });
    while (!left.isEmpty()) {
      String next = left.remove();
      for (String user : users.getOrDefault(next, List.of())) {
        if (ambient.putIfAbsent(user, doubt(next)) == null) {
          left.add(user);
        }
      }
    }
  }

  /** Whether a function, or a kernel, asks for the item or the shared memory. */
  boolean takesAny(Function function) {
    return function.isPlain() && withItem.contains(function.text());
  }

  /** Whether a name is that of such a function, other than a kernel. */
  boolean isFunction(String name) {
    return withItem.contains(name) && called.contains(name);
  }

  /**
   * Why a function must not be given the item: a name of which it is not known what it means. Empty
   * if there is none.
   */
  String doubt(String function) {
    return ambient.getOrDefault(function, "");
  }

  /** Adds all words but those of fields, and of methods for which functions stand. */
  private static void addWords(SourceFile.Named named, Set<String> functions, Set<String> to) {
    List<Token> tokens = named.tokens();
    Set<String> fields = fields(tokens);
    for (int i = 0; i < tokens.size(); i++) {
      String word = tokens.get(i).text();
      boolean isField =
          isField(tokens, i) || (fields.contains(word) && !Tokens.is(tokens, i - 1, "::"));
      if (Tokens.is(tokens, i + 1, "(")
          && functions.contains(AddedNames.ofMethod(named.name(), word))) {
        int body = Tokens.find(tokens, i, "{", ";");
        i = Tokens.is(tokens, body, "{") ? Tokens.close(tokens, body) : body;
      } else if (tokens.get(i).isWord() && !isField) {
        to.add(word);
      }
    }
  }

  /** Whether a word is that of a member which is not called. */
  private static boolean isField(List<Token> tokens, int at) {
    return Tokens.isMember(tokens, at)
        && !Tokens.is(tokens, at + 1, "(")
        && !Tokens.is(tokens, at + 1, "<");
  }

  /** The variables of a class, whose names mean these in its methods; none if it is no class. */
  private static Set<String> fields(List<Token> tokens) {
    Set<String> fields = new HashSet<>();
    int open = Tokens.find(tokens, 0, "{");
    int start = open + 1;
    for (int i = open + 1; i < Tokens.close(tokens, open) && i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean isEnd = token.is(";") || token.is("{") || token.is(":");
      if (isEnd) {
        addFields(tokens.subList(start, i), fields);
      }
      i = Tokens.isOpen(token) ? Tokens.close(tokens, i) : i;
      start = isEnd ? i + 1 : start;
    }
    return fields;
  }

  private static void addFields(List<Token> statement, Set<String> to) {
    try {
      Declarations.Declaration declared = Declarations.of(statement);
      if (declared != null) {
        declared.declarators().stream()
            .filter(each -> !Tokens.is(each.initial(), 0, "("))
            .forEach(each -> to.add(each.name().text()));
      }
    } catch (UnfitException e) {
      // of another kind than usual: then the name may be that of a function
    }
  }

  /** Whether a function uses a class whose methods ask for the work item. */
  boolean asksThroughClass(String function) {
    return asking.contains(function);
  }

  /** Whether items wait for each other in a function of the source, or a method that it may use. */
  boolean mayReachBarrier(String function) {
    return mayReach.contains(function);
  }

  private static Set<String> both(Set<String> some, Set<String> others) {
    Set<String> all = new HashSet<>(some);
    all.addAll(others);
    return all;
  }

  private interface Test {
    boolean is(String word);
  }

  /** Adds all that have a word for which the test is true, or that mention one that was added. */
  private static void propagate(Map<String, Set<String>> words, Set<String> found, Test test) {
    Map<String, List<String>> users = users(words);
    Deque<String> left = new ArrayDeque<>();
    words.forEach(
        (user, own) -> {
          if (own.stream().anyMatch(word -> test.is(word) || found.contains(word))) {
            left.add(user);
          }
        });
    while (!left.isEmpty()) {
      String next = left.remove();
      if (found.add(next)) {
        left.addAll(users.getOrDefault(next, List.of()));
      }
    }
  }

  /** Those that have a word, by that. */
  private static Map<String, List<String>> users(Map<String, Set<String>> words) {
    Map<String, List<String>> users = new HashMap<>();
    words.forEach(
        (user, own) ->
            own.forEach(word -> users.computeIfAbsent(word, of -> new ArrayList<>()).add(user)));
    return users;
  }

  /** Whether a word of the dialect asks for the item, or makes it wait for others. */
  static boolean isOfItem(String word) {
    return INDEXES.contains(word) || BARRIERS.contains(word) || WARP.contains(word);
  }

  /** Whether a word asks for the item, or makes it wait for others, by itself or by a function. */
  boolean asks(String word) {
    return isOfDialect(word) || isFunction(word);
  }

  /** The same, by itself. */
  static boolean isOfDialect(String word) {
    return isOfItem(word) || OTHERS.contains(word);
  }

  private boolean takesItem(String word) {
    return isOfDialect(word) || arrays.contains(word);
  }

  /** Whether a word of the dialect orders what items do to memory. */
  private static boolean ordersMemory(String word) {
    return BARRIERS.contains(word)
        || word.equals("__syncwarp")
        || word.equals("sync")
        || word.startsWith("arrive")
        || word.equals("wait")
        || word.startsWith("__threadfence");
  }

  /** Whether a function, of the dialect or of the source, orders what items do to memory. */
  boolean isBarrier(String function) {
    return ordersMemory(function) || ordering.contains(AddedNames.withoutItem(function));
  }

  /** Whether items wait for each other in a function, or a method, of the dialect. */
  boolean synchronizes(String word) {
    return BARRIERS.contains(word) || WARP.contains(word) || isOfGroup(word);
  }

  /** Whether a word that is qualified synchronizes a cooperative group. */
  boolean isOfGroup(String word) {
    return hasGroups && OF_GROUPS.contains(word);
  }

  /** Whether the source has a function of a name outside classes. */
  boolean isDefined(String name) {
    return words.containsKey(name);
  }

  /** All indexes, in a set that may change. */
  static Set<String> indexes() {
    return new HashSet<>(INDEXES);
  }

  /** Whether a word asks for an index. */
  static boolean isIndex(String word) {
    return INDEXES.contains(word);
  }

  /**
   * Whether a function takes the work item as its first argument, which the source does not give.
   */
  boolean passItem(String function) {
    return (hasItem(function) && isFunction(function))
        || BARRIERS.contains(function)
        || WARP.contains(function)
        || OTHERS.contains(function);
  }

  /** Whether a function of the source takes the work item. */
  boolean hasItem(String function) {
    return withItem.contains(function)
        && !asking.contains(function)
        && !ambient.containsKey(function);
  }

  /** Whether a function of the source, or one that it calls, asks which items are active. */
  boolean asksForActive(String function) {
    return withActive.contains(function);
  }

  /** Whether items wait for each other in a function of the source. */
  boolean reachesBarrier(String function) {
    return reaching.contains(AddedNames.withoutItem(function));
  }
}
