// SPDX-License-Identifier: Apache-2.0
/** Devices of JHAL as beans of Spring Boot applications. */
@NullMarked
package org.jhal.spring;

import org.jspecify.annotations.NullMarked;
