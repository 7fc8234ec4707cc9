// SPDX-License-Identifier: Apache-2.0
// The pages of the benchmarks' results: one of charts, newest first, and one for each file with all of its numbers. A chart shows
// ratios: what JHAL measured, divided by what a peer did, on a logarithmic axis. Charts are HTML, so that their text keeps its size
// on a narrow screen.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const escape = (text) => String(text).replace(/[&<>"{}]/g, (c) => `&#${c.charCodeAt(0)};`)
const short = (ratio) => (ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2))
const isQuartile = (metric) => metric === 'p25' || metric === 'p75'

/** Whether more is better, as for GB/s. */
const isRate = (metric) => metric.endsWith('/s')

/** The measured ratios of a case: each row once, by its time where it has one, with its range and the aim. */
function ratios(rows) {
  const points = rows
    .filter((row) => !isQuartile(row.metric))
    .flatMap((row) =>
      (row.peers ?? []).flatMap((peer) => {
        const ratio = peer.ratio ?? row.jhal?.median / peer.median
        const isMeasured = ratio > 0 && Number.isFinite(ratio)
        const least = peer.ratioMin ?? ratio
        const most = peer.ratioMax ?? ratio
        if (!(least > 0) || !(most > 0)) return []
        const aim = (row.aims ?? []).find((each) => each.of === 'ratio' && each.peer === peer.name)
        return [{ label: row.label, metric: row.metric, peer: peer.name, ratio: isMeasured ? ratio : undefined, least, most, aim }]
      }),
    )
  const timed = new Set(points.filter((point) => !isRate(point.metric)).map((point) => `${point.label}/${point.peer}`))
  return points.filter((point) => !isRate(point.metric) || !timed.has(`${point.label}/${point.peer}`))
}

/** The items by their key, in the order in which the keys appear. */
function grouped(items, key) {
  const groups = new Map()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups]
}

/** Whether JHAL is better than the peer, worse or equal, as far as the two digits that are shown. */
function verdict({ ratio, least, most, metric }) {
  const low = Number(short(ratio ?? least))
  const high = Number(short(ratio ?? most))
  if (low <= 1 && high >= 1) return 'equal'
  return low < 1 === isRate(metric) ? 'worse' : 'better'
}

/** An axis that holds some points: where a ratio lies, as a percentage, and the ratios that it names. */
function axis(points) {
  const values = points.flatMap(({ least, most, aim }) => [least, most, aim?.atMost ?? aim?.atLeast ?? 1])
  const from = Math.floor(Math.log2(Math.min(0.5, ...values)))
  const to = Math.ceil(Math.log2(Math.max(2, ...values)))
  const step = Math.ceil((to - from) / 6)
  const powers = Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((power) => power % step === 0)
  const at = (ratio) => `${((100 * (Math.log2(ratio) - from)) / (to - from)).toFixed(1)}%`
  const grid = powers.map((power) => `<i class="${power === 0 ? 'one' : 'grid'}" style="left:${at(2 ** power)}"></i>`).join('')
  const names = powers.map((power) => `<b style="left:${at(2 ** power)}">${power < 0 ? `1/${2 ** -power}` : 2 ** power}</b>`).join('')
  return { at, grid, names }
}

function mark(point, at, hasRange) {
  const text = `${point.label}: ${point.ratio === undefined ? `${short(point.least)} to ${short(point.most)}` : short(point.ratio)}`
  const title = `title="${escape(text)}"`
  let html = ''
  if (hasRange || point.ratio === undefined) {
    html += `<i class="range ${verdict(point)}" style="left:${at(point.least)};right:calc(100% - ${at(point.most)})" ${title}></i>`
  }
  if (point.ratio !== undefined) html += `<i class="dot ${verdict(point)}" style="left:${at(point.ratio)}" ${title}></i>`
  const aim = point.aim?.atMost ?? point.aim?.atLeast
  if (hasRange && aim) html += `<i class="aim" style="left:${at(aim)}" title="aim"></i>`
  return html
}

const line = (label, marks, value) =>
  `<div class="line"><span class="label">${label}</span><span class="value">${value}</span><span class="plot">${marks}</span></div>`

/** The range of several ratios as text. */
function span(points) {
  const low = short(Math.min(...points.map((point) => point.ratio ?? point.least)))
  const high = short(Math.max(...points.map((point) => point.ratio ?? point.most)))
  return low === high ? low : `${low} to ${high}`
}

const direction = (metric) => (isRate(metric) ? 'throughput: higher is better' : metric === 'bytes' ? 'bytes: lower is better' : 'time: lower is better')

/** Charts with a line for each case and peer, whose dots are the rows of the case. The name of a case leads to its numbers. */
function overview(cases) {
  return grouped(
    cases.flatMap((each) => each.points.map((point) => ({ ...point, case: each }))),
    (point) => direction(point.metric),
  )
    .map(([what, points]) => {
      const { at, grid, names } = axis(points)
      const lines = grouped(points, (point) => point.case).map(([each, ofCase]) => {
        const head = `<div class="case"><a href="${each.link}"><code>${escape(each.name)}</code></a> ${escape(each.description ?? '')}</div>`
        const byPeer = grouped(ofCase, (point) => point.peer)
        return head + byPeer.map(([peer, all]) => line(`beside ${escape(peer)}`, grid + all.map((point) => mark(point, at, false)).join(''), span(all))).join('')
      })
      return `<div class="chart"><p class="direction">JHAL / peer, ${what}</p>${lines.join('')}${line('', names, '')}</div>`
    })
    .join('\n')
}

/** The charts of a case, one for each peer and direction, with a line for each row. */
function details(points) {
  return grouped(points, (point) => `JHAL / ${point.peer}, ${direction(point.metric)}`)
    .map(([title, all]) => {
      const { at, grid, names } = axis(all)
      const lines = all.map((point) => {
        const aim = point.aim ? ` <small>aim: ${point.aim.atMost ? `at most ${point.aim.atMost}` : `at least ${point.aim.atLeast}`}</small>` : ''
        const value = point.ratio === undefined ? span([point]) : short(point.ratio)
        return line(escape(point.label), grid + mark(point, at, true), value + aim)
      })
      return `<div class="chart"><p class="direction">${escape(title)}</p>${lines.join('')}${line('', names, '')}</div>`
    })
    .join('\n')
}

/** The machine of a run as a reader calls it: without the settings of the device. */
function machine({ device, driver, cores }) {
  if (device.startsWith('cpu, ')) return `CPU, ${cores} cores`
  const name = device.replace(/, queues=.*/, '').replace(/^cuda\S*, /, '').replace(/ \d+GB .*/, '')
  const count = /with (\d+) devices/.exec(driver ?? '')?.[1]
  return count > 1 ? `${count} x ${name}` : name
}

/** The runs, newest first. */
function load(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: file.slice(0, -'.json'.length), run: JSON.parse(readFileSync(join(folder, file), 'utf8')) }))
    .map((each) => ({ ...each, cases: each.run.cases.map((one) => ({ ...one, points: ratios(one.rows) })).filter((one) => one.points.length > 0) }))
    .sort((a, b) => (b.run.time < a.run.time ? -1 : b.run.time > a.run.time ? 1 : a.name < b.name ? -1 : 1))
}

/**
 * The machines with the runs of which samples were kept, the one with the newest run first. Each case is that of the newest run
 * which has it, beside other peers than JHAL itself where it has some.
 *
 * @param path leads from the page to the folder of the files' pages
 */
function machines(runs, path) {
  const byMachine = grouped(
    runs.filter(({ run }) => !run.transcribed),
    ({ run }) => machine(run),
  )
  return byMachine.map(([title, all]) => {
    const cases = new Map()
    for (const { name, cases: ofRun } of all) {
      for (const one of ofRun) {
        const others = one.points.filter((point) => !point.peer.startsWith('JHAL'))
        const link = `${path}${name}.html#${one.name}`
        if (!cases.has(one.name)) cases.set(one.name, { ...one, link, points: others.length > 0 ? others : one.points })
      }
    }
    return { title, all, cases: [...cases.values()] }
  })
}

const INTRO = `# Results of the benchmarks

A dot is what JHAL measured for one size of the work, divided by what a peer did, such as the same work in C. The line at 1 is the peer.
For times, lower is better; a chart of throughput says so.

<div class="chart legend"><span><i class="dot better"></i> JHAL is better</span> <span><i class="dot equal"></i> equal</span> <span><i class="dot worse"></i> the peer is better</span></div>

The newest runs come first. The name of a case leads to its numbers, with their spread and the aims; [benchmarks](benchmarks.md)
describes the cases. Compare only numbers of one run: machines and their neighbours differ.
`

const linked = ({ name }) => `<a id="${name}"></a>[${name}](results/${name}.md)`

/**
 * The paths and texts of the pages.
 *
 * @param folder the files of results
 * @param tables the text of docs/results.md, which has a section for each file
 */
export function resultPages(folder, tables) {
  const sections = new Map(tables.split('\n## ').slice(1).map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n'))]))
  const runs = load(folder)
  const pages = runs.map(({ name, run, cases }) => {
    if (!sections.has(name)) throw new Error(`docs/results.md has no section '${name}'`)
    const charts = cases.map((one) => `## ${one.name}\n\n${escape(one.description ?? '')}\n\n${details(one.points)}\n`)
    const head = `---\nsearch: false\n---\n# ${name}\n\n${escape(machine(run))}; commit ${run.commit}. [All results](../results.md).\n`
    const key = cases.length === 0 ? '' : 'A dot is the median of the rounds, the line through it reaches from the smallest to the largest ratio, and the vertical mark is the aim.\n'
    return [`docs/results/${name}.md`, [head, key, ...charts, `## All numbers\n${sections.get(name)}`].join('\n')]
  })
  const shown = machines(runs, 'results/')
  const charts = shown.map(
    ({ title, all, cases }) =>
      `## ${escape(title)}, ${all[0].run.time.slice(0, 10)}\n\n${overview(cases)}\n\nThe runs: ${all.map(linked).join(', ')}\n`,
  )
  const rest = runs
    .filter(({ run }) => run.transcribed)
    .map((each) => `- ${linked(each)}: ${each.run.cases.map((one) => `\`${one.name}\``).join(', ')}`)
  const older = `## Older runs\n\nTheir samples were not kept.\n\n${rest.join('\n')}\n`
  return [...pages, ['docs/results.md', [INTRO, ...charts, older].join('\n')]]
}

/** The chart of the machine with the newest run, for the start page. */
export function newestChart(folder) {
  const { title, all, cases } = machines(load(folder), 'docs/results/')[0]
  const newest = cases.filter((one) => one.link.includes(`/${all[0].name}.html`) && one.points.every((point) => !point.peer.startsWith('JHAL')))
  return `${overview(newest)}\n\n${escape(title)}, ${all[0].run.time.slice(0, 10)}. A dot is one size of the work. [More results](docs/results.md)\n`
}
