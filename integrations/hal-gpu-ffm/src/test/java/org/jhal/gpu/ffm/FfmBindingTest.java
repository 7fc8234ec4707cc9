// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.gpu.natives.SharedLibrary;
import org.junit.jupiter.api.Test;

/** Functions of the C library and of the mathematical library, by the names of methods. */
class FfmBindingTest {
  private static final SharedLibrary C = SharedLibrary.open(Platform.C_LIBRARY_NAME);

  private final FfmBinding binding = new FfmBinding();

  /** Not public, as the tables of drivers need not be. */
  interface Functions {
    int abs(int value);

    long labs(long value);

    int toupper(byte character);

    /** Copies bytes: memory, pointers as numbers. */
    long memcpy(long target, long source, long bytes);

    /** Takes a pointer to a number of 64 bits through which it returns the time. */
    long time(long[] now);

    /** Takes pointers in two places. */
    long memmove(int[] target, int[] source, long bytes);
  }

  interface Floats {
    /** Copies four bytes between floats. */
    long memcpy(float[] target, float[] source, long bytes);
  }

  private <T> T bind(Class<T> table) {
    return binding.bind(MethodHandles.lookup(), table, C::address);
  }

  private Functions functions() {
    return bind(Functions.class);
  }

  @Test
  void isFoundAsAService() {
    assertSame(
        FfmBinding.class,
        Objects.requireNonNull(BindingOption.auto(), "no other binding").getClass());
    assertNull(binding.obstacle(), "tests may call native functions");
  }

  @Test
  void passesAndReturnsNumbers() {
    Functions c = functions();
    assertEquals(7, c.abs(-7));
    assertEquals(1L << 40, c.labs(-(1L << 40)));
  }

  /** The functions take integers, so that they see all bits. */
  @Test
  void smallNumbersAreUnsigned() {
    assertEquals(0xFE, functions().toupper((byte) 0xFE));
    assertEquals(0xFFFE, bind(Wide.class).abs((short) 0xFFFE));
  }

  interface Wide {
    int abs(short value);
  }

  @Test
  void passesPointersAsNumbers() {
    try (Memory from = new Memory(8);
        Memory to = new Memory(8)) {
      from.setLong(0, 0x123456789L);
      long target = Pointer.nativeValue(to);
      assertEquals(target, functions().memcpy(target, Pointer.nativeValue(from), 8));
      assertEquals(0x123456789L, to.getLong(0));
    }
  }

  @Test
  void returnsValuesThroughArrays() {
    long[] now = {0};
    long returned = functions().time(now);
    assertEquals(returned, now[0]);
    assertTrue(returned > 1_000_000_000, () -> "seconds since 1970: " + returned);
  }

  @Test
  void eachArrayOfACallHasItsOwnPlace() {
    int[] target = {1, 10};
    int[] source = {2, 20};
    long place = functions().memmove(target, source, Integer.BYTES);
    assertTrue(place != 0);
    assertEquals(List.of(2, 10), List.of(target[0], target[1]), "the first element only");
    assertEquals(2, source[0]);
    float[] to = {0};
    long other = bind(Floats.class).memcpy(to, new float[] {0.5f}, Float.BYTES);
    assertTrue(other != 0);
    assertEquals(0.5f, to[0]);
  }

  /** Each thread has its own native memory for them. */
  @Test
  void arraysOfDifferentThreadsDoNotMix() throws InterruptedException {
    Functions c = functions();
    List<Thread> threads = new ArrayList<>();
    List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 4; i++) {
      int own = i;
      threads.add(
          new Thread(
              () -> {
                for (int n = 0; n < 20_000; n++) {
                  int[] target = {-1};
                  c.memmove(target, new int[] {own}, Integer.BYTES);
                  if (target[0] != own) {
                    wrong.add(own + " became " + target[0]);
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join(60_000);
      assertTrue(!thread.isAlive(), "a thread that copies numbers is still running after 60 s");
    }
    assertEquals(List.of(), wrong);
  }

  interface Misspelt {
    int abs(int value);

    int absoluteValueOf(int value);
  }

  @Test
  void aMethodWithoutAFunctionFailsAtTheBinding() {
    UnsatisfiedLinkError thrown =
        assertThrows(UnsatisfiedLinkError.class, () -> bind(Misspelt.class));
    assertTrue(String.valueOf(thrown.getMessage()).contains("absoluteValueOf"), thrown::getMessage);
  }

  interface Unsuitable {
    int puts(String text);
  }

  interface UnsuitableArray {
    int puts(byte[] text);
  }

  @Test
  void aMethodWithAnotherTypeFailsAtTheBinding() {
    assertUnsuitable(Unsuitable.class, "puts", "String");
    assertUnsuitable(UnsuitableArray.class, "puts", "byte[]");
  }

  private void assertUnsuitable(Class<?> table, String... parts) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> bind(table));
    for (String part : parts) {
      assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown::getMessage);
    }
  }

  /** Methods with a body are no functions. */
  interface WithDefault {
    int abs(int value);

    default int twice(int value) {
      return 2 * abs(value);
    }
  }

  @Test
  void methodsWithABodyStayAsTheyAre() {
    assertEquals(10, bind(WithDefault.class).twice(-5));
  }
}
