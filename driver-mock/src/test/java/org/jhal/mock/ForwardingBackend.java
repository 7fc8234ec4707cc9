// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.QueueRequest;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.GrantedStream;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jspecify.annotations.Nullable;

/** The engine's view of a mock device, with wrapped streams. */
record ForwardingBackend(
    MockDevice right, UnaryOperator<NativeStream<MockEvent>> around, UnaryOperator<DeviceInfo> says)
    implements DeviceBackend<MockEvent> {
  @Override
  public long bindToThread() {
    return right.bindToThread();
  }

  @Override
  public void unbindFromThread(long token) {
    right.unbindFromThread(token);
  }

  @Override
  public Object eventDomain() {
    return right.eventDomain();
  }

  @Override
  public boolean outcomesCanFail() {
    return right.outcomesCanFail();
  }

  @Override
  public @Nullable String noAccess(DeviceBackend<?> owner) {
    return right.noAccess(right(owner));
  }

  @Override
  public void enableAccess(DeviceBackend<?> owner) {
    right.enableAccess(right(owner));
  }

  private static DeviceBackend<?> right(DeviceBackend<?> backend) {
    return backend instanceof ForwardingBackend wrapper ? wrapper.right : backend;
  }

  @Override
  public NativeStream<MockEvent> createStream(int index) {
    return around.apply(right.createStream(index));
  }

  @Override
  public GrantedStream<MockEvent> acquireStream(int index, QueueRequest request) {
    GrantedStream<MockEvent> granted = right.acquireStream(index, request);
    return new GrantedStream<>(around.apply(granted.stream()), granted.grant());
  }

  @Override
  public DeviceInfo info() {
    return says.apply(right.info());
  }

  @Override
  public Set<Capability> capabilities() {
    return right.capabilities();
  }

  @Override
  public Set<String> executableFormats() {
    return right.executableFormats();
  }

  @Override
  public String refusal(String format) {
    return right.refusal(format);
  }

  @Override
  public boolean supports(BufferParams params) {
    return right.supports(params);
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return right.allocate(bytes, params);
  }

  @Override
  public DeviceMemory importHost(ByteBuffer memory, BufferParams params) {
    return right.importHost(memory, params);
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return right.supportedCommands();
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return right.load(source, variant, kernels);
  }

  @Override
  public KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels, List<Global> globals) {
    return right.load(source, variant, kernels, globals);
  }

  @Override
  public DeviceMemory global(KernelModule module, int index) {
    return right.global(module, index);
  }

  @Override
  public void close() {
    right.close();
  }
}
