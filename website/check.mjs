// SPDX-License-Identifier: Apache-2.0
// Checks each link of the built site, which is the folder of the first argument: its file and its anchor must exist.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const site = resolve(process.argv[2])
const base = process.argv[3] ?? '/'
const decode = (text) => decodeURIComponent(text.replace(/&#39;/g, "'").replace(/&quot;/g, '"').replace(/&amp;/g, '&'))

function pages(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? pages(path) : entry.name.endsWith('.html') ? [path] : []
  })
}

const anchors = new Map() // by file
function hasAnchor(file, anchor) {
  if (!anchors.has(file)) {
    const text = readFileSync(file, 'utf8')
    anchors.set(file, new Set([...text.matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => decode(match[1]))))
  }
  return anchor === '' || anchors.get(file).has(anchor)
}

let links = 0
const broken = new Set()
const all = pages(site).filter((file) => !/^javadoc[/\\]./.test(relative(site, file)) || relative(site, file) === join('javadoc', 'index.html'))
for (const page of all) {
  for (const [, tag, link] of readFileSync(page, 'utf8').matchAll(/<(a|img|link|script|source|iframe|video|audio)\b[^>]*?\s(?:href|src)="([^"]*)"/g)) {
    const from = relative(site, page)
    if (/^(https?:)?\/\//.test(link)) {
      // A page must load nothing from another host; a reader may follow a link there.
      if (tag !== 'a') broken.add(`${from}: loads ${link}`)
      continue
    }
    if (/^[a-z]+:/.test(link)) continue
    links++
    const [path, anchor = ''] = decode(link).split('#')
    let file = path === '' ? page : path.startsWith('/') ? join(site, path.slice(base.length)) : resolve(dirname(page), path)
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html')
    if (!existsSync(file)) broken.add(`${from}: no file for ${link}`)
    else if (file.endsWith('.html') && !hasAnchor(file, anchor)) broken.add(`${from}: no anchor for ${link}`)
  }
}
for (const line of [...broken].sort()) console.error(line)
console.log(`${all.length} pages, ${links} links, ${broken.size} broken`)
process.exit(broken.size === 0 && links > 0 ? 0 : 1)
