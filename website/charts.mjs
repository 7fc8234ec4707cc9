// SPDX-License-Identifier: Apache-2.0
// Draws the results of the benchmarks: for each row the ratio of JHAL's time to that of a peer, on a logarithmic axis.
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

const LEFT = 250 // where the axis begins
const WIDTH = 380 // of the axis
const LINE = 20
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
const short = (text) => (text.length > 38 ? `${text.slice(0, 37)}…` : text)
const round = (value) => Number(value.toPrecision(3))

/** The measured ratios of a case, with their range and the aim where there is one. */
function ratios(rows) {
  return rows.flatMap((row) =>
    (row.peers ?? []).flatMap((peer) => {
      const ratio = peer.ratio ?? row.jhal?.median / peer.median
      if (!(ratio > 0) || !Number.isFinite(ratio)) return []
      const aim = (row.aims ?? []).find((a) => a.of === 'ratio' && a.peer === peer.name)?.atMost
      const metric = row.metric && row.metric !== 'time' ? `, ${row.metric}` : ''
      const range = { least: peer.ratioMin ?? ratio, most: peer.ratioMax ?? ratio }
      return [{ label: `${row.label ?? ''}${metric} / ${peer.name ?? 'peer'}`, ratio, aim, ...range }]
    }),
  )
}

function chart(name, rows) {
  const values = rows.flatMap((row) => [row.least, row.most, row.aim ?? 1]).filter((value) => value > 0)
  const from = Math.floor(Math.log2(Math.min(0.5, ...values)))
  const to = Math.ceil(Math.log2(Math.max(2, ...values)))
  const x = (value) => round(LEFT + (WIDTH * (Math.log2(value) - from)) / (to - from))
  const bottom = rows.length * LINE + 10
  const step = Math.ceil((to - from) / 8)
  let svg = ''
  for (let power = from; power <= to; power++) {
    if (power % step !== 0) continue
    const at = x(2 ** power)
    svg += `<line class="${power === 0 ? 'one' : 'grid'}" x1="${at}" x2="${at}" y1="0" y2="${bottom}"/>`
    svg += `<text x="${at}" y="${bottom + 16}" text-anchor="middle">${power < 0 ? `1/${2 ** -power}` : 2 ** power}</text>`
  }
  rows.forEach((row, index) => {
    const y = index * LINE + 14
    const aim = row.aim ? `, aim: at most ${round(row.aim)}` : ''
    const missed = row.aim && row.ratio > row.aim ? ' missed' : ''
    const title = `${row.label}: ${round(row.ratio)} (${round(row.least)} to ${round(row.most)})${aim}`
    svg += `<g class="row${missed}"><title>${escape(title)}</title>`
    svg += `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${escape(short(row.label))}</text>`
    svg += `<line x1="${x(row.least)}" x2="${x(row.most)}" y1="${y}" y2="${y}"/><circle cx="${x(row.ratio)}" cy="${y}" r="4"/>`
    if (row.aim) svg += `<line class="aim" x1="${x(row.aim)}" x2="${x(row.aim)}" y1="${y - 7}" y2="${y + 7}"/>`
    svg += `<text x="${LEFT + WIDTH + 14}" y="${y + 4}">${round(row.ratio)}</text></g>`
  })
  const size = `viewBox="0 0 ${LEFT + WIDTH + 70} ${bottom + 24}"`
  return `<div class="chart"><svg role="img" aria-label="${escape(name)}" ${size}>${svg}</svg></div>`
}

/** The paths and texts of the pages, one for each file of results with ratios, and one that lists them. */
export function chartPages(folder) {
  const pages = []
  const list = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')).sort()) {
    const results = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const name = basename(file, '.json')
    const parts = results.cases
      .map((each) => ({ ...each, rows: ratios(each.rows) }))
      .filter((each) => each.rows.length > 0)
      .map((each) => `## ${each.name}\n\n${escape(each.description ?? '')}\n\n${chart(each.name, each.rows)}\n`)
    if (parts.length === 0) continue
    const head = `---\nsearch: false\n---\n# ${name}\n\n\`${results.device.split(', queues=')[0]}\`, commit ${results.commit}.`
    const text = `Each line shows JHAL's time divided by that of the peer after the slash. [How to read a chart](../charts.md).`
    pages.push([`docs/charts/${name}.md`, `${head} ${text}\n\n${parts.join('\n')}`])
    list.push(`- [${name}](charts/${name}.md): ${results.cases.map((each) => `\`${each.name}\``).join(', ')}`)
  }
  const intro = `# Charts of the benchmarks

Each chart shows ratios: JHAL's time divided by the time of a peer, such as the same work in C. Left of 1, JHAL takes less time.

- The dot is the ratio of the medians, and the line through it reaches from the smallest to the largest ratio of the run.
- The short vertical mark is the aim of the case, where it has one. A dot right of its aim is red: the aim is missed.
- The axis is logarithmic. Compare only lines of one file, because machines and their load differ.

[Results](results.md) has all numbers as tables, and [benchmarks](benchmarks.md) describes the cases. Files without a peer have no chart.
`
  return [...pages, ['docs/charts.md', `${intro}\n${list.join('\n')}\n`]]
}
