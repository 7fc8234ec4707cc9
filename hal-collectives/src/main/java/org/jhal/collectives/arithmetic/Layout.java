// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The data that a collective moves, as pieces of equal length. The bytes of a piece are read from
 * its sources, combined in their order if there are several, and written to its targets. No piece
 * reads what another one writes, and within a piece byte i is read from all sources before it is
 * written anywhere, also in place.
 *
 * @param pieces what is combined and written where
 * @param length of each piece, in bytes
 */
public record Layout(List<Piece> pieces, long length) {
  /** A part of a rank's source or target. */
  public record Place(int rank, long offset) {}

  /** Bytes that are read, combined and written together. */
  public record Piece(List<Place> sources, List<Place> targets) {
    /** Copies the lists. */
    public Piece {
      sources = List.copyOf(sources);
      targets = List.copyOf(targets);
    }
  }

  /** Leaves out pieces that go nowhere. */
  public Layout {
    pieces = pieces.stream().filter(piece -> !piece.targets().isEmpty()).toList();
  }

  /** How many bytes are written at least once. */
  public long bytes() {
    return Math.multiplyExact(length, (long) pieces.size());
  }

  /**
   * A broadcast.
   *
   * @param writes whether a rank's target is written: not in place
   */
  public static Layout broadcast(int root, int ranks, long length, IntPredicate writes) {
    return new Layout(
        List.of(new Piece(List.of(new Place(root, 0)), places(ranks, 0, writes))), length);
  }

  /** A reduction to one rank. */
  public static Layout reduce(int root, int ranks, long length) {
    return new Layout(
        List.of(new Piece(places(ranks, 0, rank -> true), List.of(new Place(root, 0)))), length);
  }

  /** A reduction to all ranks. */
  public static Layout allReduce(int ranks, long length) {
    List<Place> all = places(ranks, 0, rank -> true);
    return new Layout(List.of(new Piece(all, all)), length);
  }

  /**
   * Piece r is the source of rank r.
   *
   * @param isInPlace whether a rank's source is its own part of its target
   */
  public static Layout allGather(int ranks, long length, IntPredicate isInPlace) {
    List<Piece> pieces = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      int source = r;
      pieces.add(
          new Piece(
              List.of(new Place(r, 0)),
              places(ranks, r * length, rank -> rank != source || !isInPlace.test(rank))));
    }
    return new Layout(pieces, length);
  }

  /** Piece r is the target of rank r. */
  public static Layout reduceScatter(int ranks, long length) {
    List<Piece> pieces = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      pieces.add(new Piece(places(ranks, r * length, rank -> true), List.of(new Place(r, 0))));
    }
    return new Layout(pieces, length);
  }

  /**
   * Piece r is the source of rank r.
   *
   * @param isInPlace whether a rank's source is its own part of its target
   */
  public static Layout gather(int root, int ranks, long length, IntPredicate isInPlace) {
    List<Piece> pieces = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      if (r != root || !isInPlace.test(r)) {
        pieces.add(move(new Place(r, 0), new Place(root, r * length)));
      }
    }
    return new Layout(pieces, length);
  }

  /**
   * Piece r is the target of rank r.
   *
   * @param isInPlace whether a rank's target is its own part of its source
   */
  public static Layout scatter(int root, int ranks, long length, IntPredicate isInPlace) {
    List<Piece> pieces = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      if (r != root || !isInPlace.test(r)) {
        pieces.add(move(new Place(root, r * length), new Place(r, 0)));
      }
    }
    return new Layout(pieces, length);
  }

  /** A piece for each pair of ranks. Consecutive ones have different sources and targets. */
  public static Layout allToAll(int ranks, long length) {
    List<Piece> pieces = new ArrayList<>();
    for (int distance = 0; distance < ranks; distance++) {
      for (int from = 0; from < ranks; from++) {
        int to = (from + distance) % ranks;
        pieces.add(move(new Place(from, to * length), new Place(to, from * length)));
      }
    }
    return new Layout(pieces, length);
  }

  /** Data of one rank for another. */
  public static Layout sendReceive(int from, int to, long length) {
    return new Layout(List.of(move(new Place(from, 0), new Place(to, 0))), length);
  }

  private static Piece move(Place from, Place to) {
    return new Piece(List.of(from), List.of(to));
  }

  private static List<Place> places(int ranks, long offset, IntPredicate which) {
    List<Place> places = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      if (which.test(rank)) {
        places.add(new Place(rank, offset));
      }
    }
    return places;
  }
}
