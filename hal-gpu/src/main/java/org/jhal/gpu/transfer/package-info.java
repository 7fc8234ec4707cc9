// SPDX-License-Identifier: Apache-2.0
/**
 * What moves bytes between memory of the program and a device, and frees memory behind the work of
 * a stream, for drivers of any kind. A driver implements {@link org.jhal.gpu.transfer.CopyStream},
 * and its streams then use
 *
 * <ul>
 *   <li>{@link org.jhal.gpu.transfer.HostTransfers} each, for transfers of memory that the device
 *       cannot access: through staging memory of the stream while an operation is issued, or by the
 *       device's {@link org.jhal.gpu.transfer.TransferRing};
 *   <li>{@link org.jhal.gpu.transfer.DeferredFrees} each, for memory that their runtime cannot free
 *       in stream order.
 * </ul>
 */
@NullMarked
package org.jhal.gpu.transfer;

import org.jspecify.annotations.NullMarked;
