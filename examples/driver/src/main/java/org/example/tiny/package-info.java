// SPDX-License-Identifier: Apache-2.0
/** The smallest driver that passes the conformance suite; docs/writing-a-driver.md explains it. */
@NullMarked
package org.example.tiny;

import org.jspecify.annotations.NullMarked;
