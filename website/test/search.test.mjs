// SPDX-License-Identifier: Apache-2.0
// What people type finds what they look for: the index of the built site, searched as the site's pages search it.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'
import { loadIndex } from '../search.mjs'

const site = fileURLToPath(new URL('../../build/site', import.meta.url))
const chunks = join(site, 'assets/chunks')
const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
const { default: json } = await import(pathToFileURL(join(chunks, file)))
const index = loadIndex(json)

/** The places of the first results, without the path to the site. */
const found = (query, count) =>
  index
    .search(query)
    .slice(0, count)
    .map((result) => result.id.slice((process.env.JHAL_SITE_BASE ?? '/').length))

function finds(query, place, within) {
  const places = found(query, within)
  assert.ok(places.includes(place), `'${query}' finds ${places.length === 0 ? 'nothing' : places.join(', ')}; wanted: ${place}`)
}

for (const [query, place, within = 3] of [
  ['out of bounds', 'docs/kernels.html#an-index-out-of-bounds'],
  ['out-of-bounds', 'docs/kernels.html#an-index-out-of-bounds'],
  ['how to install', 'README.html#in-a-project-of-your-own'],
  ['installation', 'README.html#in-a-project-of-your-own'],
  ['maven dependency', 'README.html#in-a-project-of-your-own'],
  ['what is a semaphore', 'docs/contract.html#semaphores', 1],
  ['how do I debug a kernel', 'docs/kernels.html#debugging'],
  ['debugging', 'docs/kernels.html#debugging'],
  ['program hangs', 'docs/guide.html#when-something-hangs'],
  ['the timeout', 'docs/using.html#time-limits-and-cancellation'],
  ['signal handler', 'docs/cpu.html#signals'],
  ['collectiv', 'docs/collectives.html#the-collectives'],
]) {
  test(`'${query}' finds ${place}`, () => finds(query, place, within))
}

test('words that every page has are not searched', () => {
  assert.deepEqual(found('semaphore', 10), found('what is a semaphore', 10))
  assert.deepEqual(found('how to', 10), [])
})

test('only pages are found', () => {
  const strange = found(MiniSearch.wildcard, 100_000).filter((place) => !/^(docs|examples|findings|javadoc)\/|^(README|CONTRIBUTING|SECURITY)\.html|^#|^$/.test(place))
  assert.deepEqual(strange, [])
})

const hasJavadoc = existsSync(join(site, 'javadoc/hal-api/org.jhal/org/jhal/Device.html'))
const javadoc = { skip: hasJavadoc ? false : 'the site was built with --quick, without Javadoc' }
const device = 'javadoc/hal-api/org.jhal/org/jhal/Device.html'
for (const [query, place, within = 1] of [
  ['createSemaphore', `${device}#createSemaphore()`, 2],
  ['createSem', `${device}#createSemaphore()`, 2],
  ['Device.createSemaphore', `${device}#createSemaphore()`, 3],
  ['create semaphore', `${device}#createSemaphore()`, 5],
  ['DeviceBuffer', 'javadoc/hal-api/org.jhal/org/jhal/DeviceBuffer.html'],
  ['INVALID_ARGUMENT', 'javadoc/hal-api/org.jhal/org/jhal/Status.html#INVALID_ARGUMENT', 3],
  ['HalPartitions', 'javadoc/hal-spark/org/jhal/spark/HalPartitions.html', 6],
]) {
  test(`'${query}' finds ${place}`, javadoc, () => finds(query, place, within))
}

test('each result of the Javadoc leads to a page that exists', javadoc, () => {
  const places = found(MiniSearch.wildcard, 100_000).filter((place) => place.startsWith('javadoc/'))
  assert.ok(places.length > 1000, `only ${places.length} entries`)
  const missing = new Set(places.map((place) => place.split('#')[0]).filter((place) => !existsSync(join(site, place))))
  assert.deepEqual([...missing], [])
})
