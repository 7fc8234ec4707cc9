// SPDX-License-Identifier: Apache-2.0
// The pages of charts: what is better, what comes first, and that each chart that is named exists.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { newestChart, resultPages } from '../charts.mjs'

const peer = (name, ratio) => ({ name, ratio, ratioMin: ratio * 0.9, ratioMax: ratio * 1.1 })
const row = (label, metric, ...peers) => ({ label, metric, jhal: {}, peers })
const run = (time, cases, more) => ({ device: 'cuda://0, NVIDIA H200, queues=2', commit: '0123456', time, cases, ...more })
const one = (name, ...rows) => ({ name, description: `what ${name} does`, rows })

/** Calls what makes pages with a folder of files, by name. */
function withFiles(files, make) {
  const folder = mkdtempSync(join(tmpdir(), 'charts'))
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, `${name}.json`), JSON.stringify(content))
    return make(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const pagesOf = (files) =>
  withFiles(files, (folder) => {
    const tables = Object.keys(files).map((name) => `\n## ${name}\n\n| numbers of ${name} |\n`)
    return new Map(resultPages(folder, `# Results\n${tables.join('')}`))
  })

/** The verdicts of the dots in a page, by their titles. */
const verdicts = (page) => Object.fromEntries([...page.matchAll(/class="dot (\w+)"[^>]*title="([^"]*)"/g)].map(([, verdict, title]) => [title, verdict]))

test('what is slower than the peer is not marked as better', () => {
  const time = one('chain', row('1', 'time', peer('C', 0.8)), row('2', 'time', peer('C', 1.2)), row('3', 'time', peer('C', 1.001)))
  const rate = one('copy', row('4', 'GB/s', peer('C', 0.7)), row('5', 'GB/s', peer('C', 1.3)))
  const pages = pagesOf({ 'a-2026-01-02': run('2026-01-02', [time, rate]) })
  const expected = { '1: 0.80': 'better', '2: 1.20': 'worse', '3: 1.00': 'equal', '4: 0.70': 'worse', '5: 1.30': 'better' }
  assert.deepEqual(verdicts(pages.get('docs/results.md')), expected)
  assert.deepEqual(verdicts(pages.get('docs/results/a-2026-01-02.md')), expected)
})

test('each chart names its peer and says whether lower is better', () => {
  const cases = [one('chain', row('1', 'time', peer('C', 0.8), peer('JCuda', 0.7))), one('copy', row('2', 'GB/s', peer('C', 0.7)))]
  const pages = pagesOf({ 'a-2026-01-02': run('2026-01-02', cases) })
  const [time, rate] = pages.get('docs/results.md').split('class="direction"').slice(1)
  assert.match(time, /time: lower is better.*beside C<.*beside JCuda</s)
  assert.match(rate, /throughput: higher is better.*beside C</s)
  const directions = [...pages.get('docs/results/a-2026-01-02.md').matchAll(/class="direction">(.*?)</g)].map((match) => match[1])
  assert.deepEqual(directions, ['JHAL / C, time: lower is better', 'JHAL / JCuda, time: lower is better', 'JHAL / C, throughput: higher is better'])
})

test('a row that has a time is not shown again by its throughput or its quartiles', () => {
  const rows = ['median', 'p25', 'p75', 'GB/s'].map((metric) => row('1 MiB', metric, peer('C', 0.5)))
  const pages = pagesOf({ 'a-2026-01-02': run('2026-01-02', [one('copy', ...rows)]) })
  assert.equal(pages.get('docs/results.md').match(/class="dot /g).length, 1 + 3, 'one, and the three of the legend')
})

test('the newest run comes first, and its cases replace those of older runs of the machine', () => {
  const chain = (ratio) => one('chain', row('1', 'time', peer('C', ratio)))
  const files = {
    'a-2026-01-02': run('2026-01-02T10:00:00Z', [chain(0.5), one('only-old', row('1', 'time', peer('C', 0.6)))]),
    'b-2026-01-03': run('2026-01-03T10:00:00Z', [chain(0.9)]),
    'c-2026-01-04': run('2026-01-04T10:00:00Z', [chain(0.7)], { device: 'cpu, A', cores: '2' }),
    'd-2026-01-05': run('2026-01-05', [chain(0.3)], { transcribed: 'somewhere' }),
  }
  const page = pagesOf(files).get('docs/results.md')
  assert.deepEqual([...page.matchAll(/^## (.*)$/gm)].map((match) => match[1]), ['CPU, 2 cores, 2026-01-04', 'NVIDIA H200, 2026-01-03', 'Older runs'])
  assert.deepEqual([...page.matchAll(/title="(.*?)"/g)].map((match) => match[1]), ['1: 0.70', '1: 0.90', '1: 0.60'])
  for (const name of Object.keys(files)) assert.ok(page.includes(`id="${name}"`), `no anchor for ${name}`)
  assert.match(withFiles(files, newestChart), /title="1: 0.70"/)
})

test('a case without a ratio has no chart, and nothing leads to one', () => {
  const cases = [one('alone', row('1', 'time')), one('chain', row('1', 'time', peer('C', 0.8)))]
  const pages = pagesOf({ 'a-2026-01-02': run('2026-01-02', cases) })
  assert.doesNotMatch(pages.get('docs/results.md'), /#alone/)
  assert.match(pages.get('docs/results.md'), /results\/a-2026-01-02\.html#chain/)
  const headings = [...pages.get('docs/results/a-2026-01-02.md').matchAll(/^## (.*)$/gm)].map((match) => match[1])
  assert.deepEqual(headings, ['chain', 'All numbers'])
})

test('the numbers of a file stand behind its charts', () => {
  const page = pagesOf({ 'a-2026-01-02': run('2026-01-02', [one('chain', row('1', 'time', peer('C', 0.8)))]) }).get('docs/results/a-2026-01-02.md')
  assert.ok(page.indexOf('| numbers of a-2026-01-02 |') > page.indexOf('class="chart"'))
})
