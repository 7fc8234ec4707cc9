package org.jhal.engine;

/**
 * The owner's reference to a {@link LoadedModule}. The device keeps it reachable until the module
 * is unloaded.
 */
final class ExecutableOwner extends Owner {
  private final String name;
  private final LoadedModule loaded;

  /** Owns {@code loaded} on behalf of {@code handle}. */
  ExecutableOwner(Object handle, String name, LoadedModule loaded) {
    super(handle, loaded, loaded.device().tracesLeaks(), "executable");
    this.name = name;
    this.loaded = loaded;
    loaded.setOwner(this);
  }

  @Override
  void endWithDevice() {
    try {
      loaded.unload();
    } finally {
      loaded.endIfOver();
    }
  }

  @Override
  String describe() {
    return "the executable " + name + " of " + loaded.device().name();
  }
}
