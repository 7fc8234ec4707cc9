package org.jhal.engine.recording;

import java.util.Arrays;
import org.jhal.driver.CommandList;
import org.jhal.driver.PreparedCommands;
import org.jspecify.annotations.Nullable;

/** The commands of a recording. */
public final class RecordedCommands implements CommandList {
  private RecordedCommand[] commands = new RecordedCommand[4];
  private int size;

  // Set at most once, by a thread that submits the commands.
  private volatile @Nullable PreparedCommands prepared;

  RecordedCommands() {}

  void add(RecordedCommand command) {
    if (size == commands.length) {
      commands = Arrays.copyOf(commands, 2 * size);
    }
    commands[size++] = command;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public RecordedCommand get(int index) {
    return commands[index];
  }

  @Override
  public @Nullable PreparedCommands prepared() {
    return prepared;
  }

  void setPrepared(@Nullable PreparedCommands made) {
    prepared = made;
  }
}
