// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.jhal.collectives.arithmetic.Layout.Piece;
import org.jhal.collectives.arithmetic.Layout.Place;
import org.junit.jupiter.api.Test;

/** The pieces of each kind of collective, and their chunks. */
class LayoutTest {
  private static Place at(int rank, long offset) {
    return new Place(rank, offset);
  }

  @Test
  void aBroadcastSkipsTargetsInPlace() {
    assertEquals(
        List.of(new Piece(List.of(at(1, 0)), List.of(at(0, 0), at(2, 0)))),
        Layout.broadcast(1, 3, 8, rank -> rank != 1).pieces());
    assertEquals(0, Layout.broadcast(0, 1, 8, rank -> false).bytes());
  }

  @Test
  void reductionsReadAllRanksInOrder() {
    List<Place> all = List.of(at(0, 0), at(1, 0), at(2, 0));
    assertEquals(List.of(new Piece(all, List.of(at(2, 0)))), Layout.reduce(2, 3, 8).pieces());
    assertEquals(List.of(new Piece(all, all)), Layout.allReduce(3, 8).pieces());
  }

  @Test
  void partsFollowOneAnother() {
    assertEquals(
        List.of(
            new Piece(List.of(at(0, 0)), List.of(at(1, 0))),
            new Piece(List.of(at(1, 0)), List.of(at(0, 8), at(1, 8)))),
        Layout.allGather(2, 8, rank -> rank == 0).pieces());
    assertEquals(
        List.of(
            new Piece(List.of(at(0, 0), at(1, 0)), List.of(at(0, 0))),
            new Piece(List.of(at(0, 8), at(1, 8)), List.of(at(1, 0)))),
        Layout.reduceScatter(2, 8).pieces());
    assertEquals(
        List.of(new Piece(List.of(at(2, 0)), List.of(at(0, 0)))),
        Layout.sendReceive(2, 0, 8).pieces());
  }

  private static Piece move(Place from, Place to) {
    return new Piece(List.of(from), List.of(to));
  }

  @Test
  void partsAreGatheredScatteredAndTransposed() {
    assertEquals(
        List.of(move(at(0, 0), at(1, 0)), move(at(1, 0), at(1, 8))),
        Layout.gather(1, 2, 8, rank -> false).pieces());
    assertEquals(List.of(move(at(0, 0), at(1, 0))), Layout.gather(1, 2, 8, rank -> true).pieces());
    assertEquals(
        List.of(move(at(1, 0), at(0, 0)), move(at(1, 8), at(1, 0))),
        Layout.scatter(1, 2, 8, rank -> false).pieces());
    assertEquals(List.of(move(at(1, 0), at(0, 0))), Layout.scatter(1, 2, 8, rank -> true).pieces());
    assertEquals(
        List.of(
            move(at(0, 0), at(0, 0)),
            move(at(1, 8), at(1, 8)),
            move(at(0, 8), at(1, 0)),
            move(at(1, 0), at(0, 8))),
        Layout.allToAll(2, 8).pieces());
  }

  @Test
  void partsMayBeFarApart() {
    long gigabytes = 3L << 30;
    Layout layout = Layout.reduceScatter(4, gigabytes);
    assertEquals(9L << 30, layout.pieces().get(3).sources().get(0).offset());
    assertEquals(12L << 30, layout.bytes());
  }

  @Test
  void everyByteIsHandedOutOnce() {
    Layout layout = Layout.reduceScatter(3, 10);
    Cursor cursor = new Cursor(layout);
    List<String> chunks = new ArrayList<>();
    for (Cursor.Chunk chunk = cursor.next(4); chunk != null; chunk = cursor.next(4)) {
      chunks.add(layout.pieces().indexOf(chunk.piece()) + ":" + chunk.start() + "+" + chunk.size());
    }
    assertEquals(
        List.of("0:0+4", "0:4+4", "0:8+2", "1:0+4", "1:4+4", "1:8+2", "2:0+4", "2:4+4", "2:8+2"),
        chunks);
    assertNull(cursor.next(4));
  }

  @Test
  void chunksMayHaveAnySizeAndAnEmptyLayoutHasNone() {
    Cursor cursor = new Cursor(Layout.allReduce(2, 10));
    Cursor.Chunk whole = cursor.next(Integer.MAX_VALUE);
    assertNotNull(whole);
    assertEquals(10, whole.size());
    assertNull(cursor.next(1));
    assertNull(new Cursor(Layout.allGather(3, 0, rank -> false)).next(1));
    assertNull(new Cursor(Layout.broadcast(0, 1, 10, rank -> false)).next(1));
  }
}
