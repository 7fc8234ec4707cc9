// SPDX-License-Identifier: Apache-2.0
// Draws the table that a command printed, which is the input, as a picture of a terminal:
//   node website/terminal.mjs COLUMNS < output > picture.svg
// A table with more columns than the terminal has is continued below, as its first column and the next ones.
import { readFileSync } from 'node:fs'

const WIDTH = 8.43 // of a character
const LINE = 20
const MARGIN = 14
const columns = Number(process.argv[2])
const escape = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`)
const wrap = (text) => text.match(new RegExp(`.{1,${columns}}(?:\\s+|$)|.{${columns}}`, 'g')).map((part) => part.trimEnd())

/** The table as tables that fit, with a line between them. */
function fitted(rows) {
  const header = rows[0]
  const starts = [...header.matchAll(/\S+/g)].map((match) => match.index)
  const cells = rows.map((row) => starts.map((start, index) => row.slice(start, starts[index + 1]).trimEnd()))
  const width = (column) => Math.max(...cells.map((row) => row[column].length)) + 2
  const blocks = []
  let used = columns
  for (let column = 1; column < starts.length; column++) {
    if (used + width(column) - 2 > columns) {
      blocks.push([0])
      used = width(0)
    }
    blocks.at(-1).push(column)
    used += width(column)
  }
  return blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : ['']),
    ...cells.flatMap((row) => {
      const last = block.at(-1)
      const start = block.slice(0, -1).map((column) => row[column].padEnd(width(column))).join('')
      if (start.length + row[last].length <= columns) return [start + row[last]]
      return [start.trimEnd(), ...wrap(row[last]).map((part) => `  ${part}`)]
    }),
  ])
}

const [title, ...rows] = readFileSync(0, 'utf8').trimEnd().split('\n')
const lines = [...wrap(title), ...(Math.max(...rows.map((row) => row.length)) <= columns ? rows : fitted(rows))]
const width = Math.round(columns * WIDTH + 2 * MARGIN)
const height = lines.length * LINE + 2 * MARGIN
const text = lines
  .map((line, index) => `<text x="${MARGIN}" y="${MARGIN + 14 + index * LINE}"${/^[A-Z/]+(\s|$)/.test(line) ? ' class="head"' : ''}>${escape(line)}</text>`)
  .join('\n')
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
  rect { fill: #16202a; }
  text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #e4e7eb; white-space: pre; }
  .head { fill: #5fd4c6; }
</style>
<rect width="100%" height="100%" rx="8"/>
${text}
</svg>
`)
