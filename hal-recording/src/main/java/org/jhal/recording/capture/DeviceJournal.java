// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.BufferParams;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.engine.journal.IssuedOperation;
import org.jhal.engine.journal.Journal;
import org.jhal.recording.format.BundleFiles;
import org.jhal.recording.format.ByteWriter;
import org.jhal.recording.format.Memory;
import org.jhal.recording.format.Payload;
import org.jspecify.annotations.Nullable;

/** The record of one device in a file. Thread-safe. */
final class DeviceJournal implements Journal {
  private static final Entry NO_ENTRY = failure -> {};

  private final RecordingFile file;
  private final int device;
  private final boolean isOnHost;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  DeviceJournal(RecordingFile file, int device, boolean isOnHost) {
    this.file = file;
    this.device = device;
    this.isOnHost = isOnHost;
  }

  @Override
  public void loaded(KernelModule module, ExecutableSource bundle) {
    file.attempt(
        () -> {
          BundleFiles read = BundleFiles.read(bundle);
          file.write(() -> file.bundle(module, body(read)));
        });
  }

  private ByteWriter body(BundleFiles bundle) throws IOException {
    ByteWriter body = new ByteWriter().text(bundle.name());
    addFiles(body, bundle.files());
    body.number(bundle.overlays().size());
    for (Map<String, byte[]> overlay : bundle.overlays()) {
      addFiles(body, overlay);
    }
    body.number(bundle.missing().size());
    bundle.missing().forEach(body::text);
    return body;
  }

  private void addFiles(ByteWriter body, Map<String, byte[]> files) throws IOException {
    body.number(files.size());
    for (Map.Entry<String, byte[]> entry : files.entrySet()) {
      body.text(entry.getKey()).number(file.payload(Payload.of(entry.getValue())));
    }
  }

  @Override
  public void allocated(
      DeviceMemory memory,
      long size,
      BufferParams params,
      Origin origin,
      @Nullable ByteBuffer imported) {
    Memory.Origin from =
        switch (origin) {
          case ALLOCATED -> Memory.Origin.ALLOCATED;
          case HOST -> Memory.Origin.HOST;
          case NATIVE -> Memory.Origin.FOREIGN;
        };
    file.write(
        () -> {
          RecordedMemory added = file.addMemory(memory, device, size, params.type(), from);
          if (imported != null) {
            added.open(0, imported, false);
          }
        });
  }

  @Override
  public void global(DeviceMemory memory, KernelModule module, Global global) {
    file.write(() -> file.addGlobal(memory, device, module, global));
  }

  @Override
  public void named(DeviceMemory memory, String name) {
    file.write(() -> file.nameMemory(memory, name));
  }

  @Override
  public void acquired(String queue, QueueRequest request, QueueGrant grant) {
    file.write(() -> file.acquired(device, queue, request, grant));
  }

  @Override
  public void hazard(String text) {
    file.write(() -> file.hazard(text));
  }

  @Override
  public void freed(DeviceMemory memory) {
    file.write(() -> file.freeMemory(memory));
  }

  @Override
  public Mapping mapped(DeviceMemory memory, long offset, ByteBuffer bytes, boolean keeps) {
    RecordedMemory.Window[] window = {null}; // null if the recording has ended
    file.write(() -> window[0] = file.memory(memory, device).open(offset, bytes, keeps));
    return () -> {
      RecordedMemory.Window opened = window[0];
      if (opened != null) {
        file.write(opened::close);
      }
    };
  }

  @Override
  public Entry issuing(IssuedOperation operation) {
    Command command = firstCommand(operation.commands());
    if (operation.isPart() && (command == null || command.kind() != Command.Kind.UPLOAD)) {
      if (command != null && command.kind() == Command.Kind.READBACK) {
        file.overwrites(command.host());
      }
      return NO_ENTRY; // a chunk on its way to a file, or to another device
    }
    OperationEntry entry = new OperationEntry(file);
    file.attempt(() -> new OperationWriter(file, device, isOnHost, operation, entry).write());
    return entry;
  }

  private static @Nullable Command firstCommand(@Nullable CommandList commands) {
    return commands == null || commands.size() == 0 ? null : commands.get(0);
  }

  /** The file stays open for other devices of this process. */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      file.removeUser();
    }
  }
}
