// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.util.List;

/**
 * The picture that the edge filter is shown on: a landscape with a sun, hills, a house, a wheel, a
 * chessboard and a sign. Computed with exactly defined arithmetic, so that it is the same
 * everywhere.
 */
final class Scene {
  static final int WIDTH = 640;
  static final int HEIGHT = 480;

  private static final int SAMPLES = 3; // per pixel along each axis, against jagged edges

  /** The letters of the sign, five dots wide and seven high. */
  private static final String LETTERS = "ACEHJLORST ";

  private static final List<String[]> GLYPHS =
      List.of(
          new String[] {".###.", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"}, // A
          new String[] {".###.", "#...#", "#....", "#....", "#....", "#...#", ".###."}, // C
          new String[] {"#####", "#....", "#....", "####.", "#....", "#....", "#####"}, // E
          new String[] {"#...#", "#...#", "#...#", "#####", "#...#", "#...#", "#...#"}, // H
          new String[] {"....#", "....#", "....#", "....#", "#...#", "#...#", ".###."}, // J
          new String[] {"#....", "#....", "#....", "#....", "#....", "#....", "#####"}, // L
          new String[] {".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."}, // O
          new String[] {"####.", "#...#", "#...#", "####.", "#.#..", "#..#.", "#...#"}, // R
          new String[] {".####", "#....", "#....", ".###.", "....#", "....#", "####."}, // S
          new String[] {"#####", "..#..", "..#..", "..#..", "..#..", "..#..", "..#.."}, // T
          new String[] {".....", ".....", ".....", ".....", ".....", ".....", "....."});

  private Scene() {}

  /** The picture: three bytes per pixel, red first, row by row. */
  static byte[] rgb() {
    byte[] pixels = new byte[WIDTH * HEIGHT * 3];
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        int red = 0;
        int green = 0;
        int blue = 0;
        for (int i = 0; i < SAMPLES * SAMPLES; i++) {
          int row = i / SAMPLES;
          int colour = colour(x + (i % SAMPLES + 0.5) / SAMPLES, y + (row + 0.5) / SAMPLES);
          red += colour >> 16 & 0xff;
          green += colour >> 8 & 0xff;
          blue += colour & 0xff;
        }
        int at = 3 * (y * WIDTH + x);
        pixels[at] = (byte) (red / (SAMPLES * SAMPLES));
        pixels[at + 1] = (byte) (green / (SAMPLES * SAMPLES));
        pixels[at + 2] = (byte) (blue / (SAMPLES * SAMPLES));
      }
    }
    return pixels;
  }

  /** What is seen at a point, nearest things first. */
  private static int colour(double x, double y) {
    int sign = sign(x, y);
    if (sign >= 0) {
      return sign;
    }
    int wheel = wheel(x - 540, y - 330);
    if (wheel >= 0) {
      return wheel;
    }
    int house = house(x - 250, y - 200);
    if (house >= 0) {
      return house;
    }
    return y > 340 ? ground(x, y) : y > ridge(x, 250, 30, 0.013) ? 0x5f9a4c : background(x, y);
  }

  private static int background(double x, double y) {
    double ridge = ridge(x, 190, 55, 0.009);
    if (y > ridge) {
      return y < ridge + 22 && y < 190 ? 0xf4f6fa : mix(0x6d7f99, 0x9fb0c4, (y - ridge) / 160);
    }
    double distance = StrictMath.hypot(x - 520, y - 85);
    if (distance < 42) {
      return 0xffe37a;
    }
    boolean ray =
        distance < 75
            && distance > 52
            && fraction(StrictMath.atan2(y - 85, x - 520) / (2 * Math.PI) * 12) < 0.3;
    return ray ? 0xffd45a : mix(0x4f8fd8, 0xd7e8f7, y / 260);
  }

  private static double ridge(double x, double height, double swing, double frequency) {
    return height
        - swing * StrictMath.sin(x * frequency + swing)
        - swing / 3 * StrictMath.sin(x * frequency * 3.7);
  }

  /** A chessboard in perspective. */
  private static int ground(double x, double y) {
    double depth = 4000 / (y - 320);
    double across = (x - 320) * depth / 300;
    boolean light = (StrictMath.floor(across / 12) + StrictMath.floor(depth / 8)) % 2 == 0;
    return light ? 0xe9e2d0 : 0x7a5c45;
  }

  /** {@code x} and {@code y} are relative to the middle of the wall's upper edge. */
  private static int house(double x, double y) {
    if (y < 0) {
      boolean chimney = x > 45 && x < 65 && y > -75 && y < -20;
      boolean roof = y > -70 && Math.abs(x) < 110 + y * 110 / 70;
      return roof ? (fraction(y / 9) < 0.2 ? 0x8c2f22 : 0xb8422f) : chimney ? 0x8a6f63 : -1;
    }
    if (Math.abs(x) > 90 || y > 150) {
      return -1;
    }
    if (Math.abs(x) < 18 && y > 80) {
      return StrictMath.hypot(x - 11, y - 118) < 3 ? 0xe8c35a : 0x5b3a22;
    }
    double paneX = Math.abs(Math.abs(x) - 55);
    double paneY = Math.abs(y - 55);
    if (paneX < 20 && paneY < 24) {
      return paneX < 1.5 || paneY < 1.5 || paneX > 17 || paneY > 21 ? 0xffffff : 0x35506e;
    }
    boolean joint = fraction(y / 12) < 0.12 || fraction(x / 26 + (int) (y / 12) % 2 * 0.5) < 0.06;
    return joint ? 0xc9b99b : 0xe0cfae;
  }

  /** {@code x} and {@code y} are relative to the hub. */
  private static int wheel(double x, double y) {
    double distance = StrictMath.hypot(x, y);
    if (distance > 75) {
      return -1;
    }
    if (distance > 64 || distance < 9) {
      return 0x4a2d18;
    }
    double spokes = fraction(StrictMath.atan2(y, x) / (2 * Math.PI) * 10);
    return Math.abs(spokes - 0.5) * distance < 4.5 ? 0x6b4526 : -1;
  }

  /** A board with one large and two small lines. */
  private static int sign(double x, double y) {
    if (x > 62 && x < 70 && y > 300 && y < 430) {
      return 0x5b3a22;
    }
    if (x < 16 || x > 186 || y < 190 || y > 300) {
      return -1;
    }
    if (x < 20 || x > 182 || y < 194 || y > 296) {
      return 0x5b3a22;
    }
    boolean ink =
        letter("JHAL", (x - 32) / 6, (y - 204) / 6)
            || letter("ALL THE", (x - 36) / 3, (y - 256) / 2)
            || letter("ACCELERATORS", (x - 28) / 2, (y - 277) / 2);
    return ink ? 0x1d1d1d : 0xf6efdc;
  }

  /** Whether a dot of {@code text} is at a place counted in dots; a letter takes six columns. */
  private static boolean letter(String text, double x, double y) {
    if (x < 0 || y < 0 || y >= 7 || x >= 6 * text.length()) {
      return false;
    }
    int column = (int) x % 6;
    String[] glyph = GLYPHS.get(LETTERS.indexOf(text.charAt((int) x / 6)));
    return column < 5 && glyph[(int) y].charAt(column) == '#';
  }

  private static int mix(int from, int to, double share) {
    double part = Math.max(0, Math.min(1, share));
    int colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int a = from >> shift & 0xff;
      int b = to >> shift & 0xff;
      colour |= (int) (a + (b - a) * part) << shift;
    }
    return colour;
  }

  private static double fraction(double value) {
    return value - StrictMath.floor(value);
  }
}
