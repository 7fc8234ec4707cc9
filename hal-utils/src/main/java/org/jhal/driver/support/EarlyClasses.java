package org.jhal.driver.support;

/**
 * Initialises classes before any work depends on them. A class whose initialisation fails, such as
 * on a thread whose stack is nearly full, can never be used again in its process.
 */
public final class EarlyClasses {
  private EarlyClasses() {}

  /**
   * Initialises classes, and all that are nested in them. Those that are initialised already are
   * left alone.
   *
   * @param outermost classes that are nested in no other
   * @throws LinkageError if the initialisation of one fails, or has failed before
   */
  public static void initialize(Class<?>... outermost) {
    for (Class<?> host : outermost) {
      for (Class<?> member : host.getNestMembers()) {
        try {
          Class<?> unused = Class.forName(member.getName(), true, member.getClassLoader());
        } catch (ClassNotFoundException e) {
          throw new AssertionError("this class was loaded before: " + member, e);
        }
      }
    }
  }
}
