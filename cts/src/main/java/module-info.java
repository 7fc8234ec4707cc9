/** The conformance suite; open, because the test engine reaches into its classes. */
open module org.jhal.cts {
  requires transitive org.jhal;
  requires transitive org.junit.jupiter.api;
  requires transitive org.junit.jupiter.params;
  requires org.junit.platform.launcher;
  requires static org.jspecify;
}
