// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which functions of a source need to know the work item that calls them, since they or the
 * functions that they call ask for its index, or make it wait for others.
 */
final class Calls {
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
  private final Set<String> withItem = new HashSet<>();
  private final Set<String> meeting = new HashSet<>();
  private final Set<String> withActive = new HashSet<>();
  private final Set<String> asking = new HashSet<>(); // through classes or pointers
  private final Set<String> meetingAnywhere = new HashSet<>(); // also through those

  Calls(SourceFile source) {
    hasGroups = source.tokens().stream().anyMatch(token -> token.is("cooperative_groups"));
    for (Function function : source.functions()) {
      Set<String> own = words.computeIfAbsent(function.text(), name -> new HashSet<>());
      for (int i = function.open(); i < function.end(); i++) {
        Token token = source.tokens().get(i);
        if (token.isWord() && !isField(source.tokens(), i)) {
          own.add(token.text());
        }
      }
    }
    spread(words, withItem, this::takesItem);
    Set<String> pointed = new HashSet<>(withItem);
    pointed.removeIf(name -> !Pointers.isPointed(name));
    asking.addAll(pointed);
    spread(words, meeting, this::meets);
    spread(words, withActive, ACTIVE::equals);
    Map<String, Set<String>> others = new HashMap<>();
    for (List<SourceFile.Named> named : List.of(source.classes(), source.aliases())) {
      for (SourceFile.Named each : named) {
        Set<String> own = others.computeIfAbsent(each.name(), name -> new HashSet<>());
        addWords(each.tokens(), own);
      }
    }
    spread(others, asking, word -> takesItem(word) || withItem.contains(word));
    if (!asking.isEmpty()) {
      spread(words, asking, word -> false);
      words.keySet().stream().filter(asking::contains).forEach(withItem::add);
      spread(words, withItem, word -> false);
      withItem.removeAll(pointed); // a call through a pointer gives none
    }
    words.forEach((name, own) -> others.merge(name, own, Calls::both));
    spread(others, meetingAnywhere, this::meets);
  }

  /** Adds all words but the item where only the shared memory of its workgroup counts. */
  private static void addWords(List<Token> tokens, Set<String> to) {
    Set<String> fields = fields(tokens);
    for (int i = 0; i < tokens.size(); i++) {
      boolean isShared = tokens.get(i).is("hal_self") && Tokens.is(tokens, i + 2, "hal_shared");
      boolean isField =
          isField(tokens, i)
              || (fields.contains(tokens.get(i).text()) && !Tokens.is(tokens, i - 1, "::"));
      if (tokens.get(i).isWord() && !isShared && !isField) {
        to.add(tokens.get(i).text());
      }
    }
  }

  /** Whether a word is that of a member which is not called. */
  private static boolean isField(List<Token> tokens, int at) {
    boolean isMember = Tokens.is(tokens, at - 1, ".") || Tokens.is(tokens, at - 1, "->");
    return isMember && !Tokens.is(tokens, at + 1, "(") && !Tokens.is(tokens, at + 1, "<");
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

  /**
   * Whether a function uses a class whose methods ask for the work item, which they are not told,
   * or a pointer to a function that asks.
   */
  boolean asksThroughClass(String function) {
    return asking.contains(function);
  }

  /** Whether items wait for each other in a function of the source, or a method that it may use. */
  boolean meetsAnywhere(String function) {
    return meetingAnywhere.contains(function);
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
  private static void spread(Map<String, Set<String>> words, Set<String> found, Test test) {
    Map<String, List<String>> users = new HashMap<>();
    Deque<String> left = new ArrayDeque<>();
    words.forEach(
        (user, own) -> {
          own.forEach(word -> users.computeIfAbsent(word, of -> new ArrayList<>()).add(user));
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

  /** Whether a word of the dialect asks for the item, or makes it wait for others. */
  static boolean isOfItem(String word) {
    return INDEXES.contains(word) || BARRIERS.contains(word) || WARP.contains(word);
  }

  private boolean takesItem(String word) {
    return INDEXES.contains(word)
        || BARRIERS.contains(word)
        || WARP.contains(word)
        || OTHERS.contains(word)
        || word.equals("hal_self");
  }

  /** Whether items wait for each other in a function, or a method, of the dialect. */
  boolean meets(String word) {
    return BARRIERS.contains(word) || WARP.contains(word) || isOfGroup(word);
  }

  /** Whether a word, behind a point or a {@code ::}, is a meeting of a cooperative group. */
  boolean isOfGroup(String word) {
    return hasGroups && OF_GROUPS.contains(word);
  }

  /** Whether a word asks for an index. */
  static boolean isIndex(String word) {
    return INDEXES.contains(word);
  }

  /**
   * Whether a function takes the work item as its first argument, which the source does not give.
   */
  boolean passItem(String function) {
    return withItem.contains(function)
        || BARRIERS.contains(function)
        || WARP.contains(function)
        || OTHERS.contains(function);
  }

  /** Whether a function of the source takes the work item. */
  boolean hasItem(String function) {
    return withItem.contains(function);
  }

  /** Whether a function of the source, or one that it calls, asks which items are active. */
  boolean asksForActive(String function) {
    return withActive.contains(function);
  }

  /** Whether items wait for each other in a function of the source. */
  boolean hasMeeting(String function) {
    return meeting.contains(function);
  }
}
