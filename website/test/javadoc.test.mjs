// SPDX-License-Identifier: Apache-2.0
// The list of modules with Javadoc is a page of the site, and has all of them.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { modules } from '../modules.mjs'

const javadoc = fileURLToPath(new URL('../../build/site/javadoc', import.meta.url))
const page = readFileSync(join(javadoc, 'index.html'), 'utf8')

test('the list has the style of the site', () => assert.match(page, /class="VPNav"/))

test('the list has each module, and leads to what was built of it', () => {
  assert.ok(modules.length >= 11, modules.map(({ name }) => name).join())
  for (const { name } of modules) {
    const isLinked = page.includes(`href="${name}/index.html"`)
    assert.ok(isLinked || page.includes(`${name} (not in this build)`), `without ${name}`)
    assert.equal(isLinked, existsSync(join(javadoc, name, 'index.html')), name)
  }
})
