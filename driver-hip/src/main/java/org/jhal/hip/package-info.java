/**
 * A driver for AMD devices, on the HIP runtime. The calls themselves are in {@link
 * org.jhal.hip.jna}.
 *
 * <p>What differs from CUDA:
 *
 * <ul>
 *   <li>There is no context to push. hipSetDevice chooses the device of the calling thread and
 *       makes what it needs; it stays chosen, so who is called by strangers asks hipGetDevice
 *       first, and chooses that one again.
 *   <li>A stream, an event or a module that was destroyed must not be passed on: {@link
 *       org.jhal.hip.jna.HipHandle}. One that is null is the default stream, which waits for all
 *       others.
 *   <li>hipPointerGetAttribute is not called: some versions read through an address that they do
 *       not know, and each failure changes what hipGetLastError tells the program. What is
 *       page-locked is remembered instead ({@link org.jhal.driver.gpu.PinnedRanges}), since most
 *       versions also take memory that is page-locked already.
 *   <li>A pool uses freed memory again only for what is nearly as large, so it is trimmed before it
 *       is found empty.
 *   <li>A grid has at most 2^32 - 1 work items along an axis.
 *   <li>The list that describes packed arguments ends with 3, and must be in order. A code object
 *       may declare more bytes of arguments than a kernel's parameters have (hidden ones): the
 *       runtime fills those in.
 *   <li>Work items of a workgroup run in wavefronts of 64 on some devices:
 *       hipDeviceAttributeWarpSize.
 *   <li>A workgroup may use all of hipDeviceAttributeMaxSharedMemoryPerBlock without asking for it.
 *   <li>No name or log comes with a code object that is refused: hipModuleLoadData only returns 209
 *       for one of another architecture.
 * </ul>
 */
@NullMarked
package org.jhal.hip;

import org.jspecify.annotations.NullMarked;
