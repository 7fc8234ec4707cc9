/**
 * What moves bytes between memory of the program and a device, and frees memory behind the work of
 * a stream, for drivers of any kind. A driver implements {@link
 * org.jhal.driver.transfer.CopyStream}, and its streams then use
 *
 * <ul>
 *   <li>a {@link org.jhal.driver.transfer.StagingRing} each, for bytes that are read while an
 *       operation is issued;
 *   <li>the device's {@link org.jhal.driver.transfer.TransferRing}, for memory of any size that the
 *       device cannot access;
 *   <li>{@link org.jhal.driver.transfer.DeferredFrees} each, for memory that their runtime cannot
 *       free in stream order.
 * </ul>
 */
@NullMarked
package org.jhal.driver.transfer;

import org.jspecify.annotations.NullMarked;
