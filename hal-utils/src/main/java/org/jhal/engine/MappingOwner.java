package org.jhal.engine;

/**
 * The owner's reference to what a mapping holds. The device keeps it reachable until the mapping
 * ends.
 */
final class MappingOwner extends Owner {
  private final String device;
  private final int length;

  /** Owns {@code use} on behalf of {@code handle}. */
  MappingOwner(Object handle, EngineMapping.Use use, int length) {
    super(handle, use, use.device().tracesLeaks(), "mapping");
    this.device = use.device().name();
    this.length = length;
    use.setOwner(this);
  }

  @Override
  String describe() {
    return "a mapping of " + length + " bytes of " + device;
  }
}
