// SPDX-License-Identifier: Apache-2.0
/**
 * The functions, structures and constants of {@code vulkan_core.h} that the driver uses. The order
 * of the arguments is that of the header; names of functions lack the prefix {@code vk}.
 *
 * <p>C types are mapped as follows:
 *
 * <ul>
 *   <li>a handle, a pointer, {@code VkDeviceSize} and {@code uint64_t}: {@code long};
 *   <li>a pointer through which a call returns something: an array with one element;
 *   <li>enums, flags, {@code uint32_t} and {@code VkBool32}: {@code int};
 *   <li>no result, in the functions that operations call: an {@code int} that means nothing.
 * </ul>
 *
 * <p>Nothing here checks results.
 */
@NullMarked
package org.jhal.vulkan.jna;

import org.jspecify.annotations.NullMarked;
