// SPDX-License-Identifier: Apache-2.0
// The pictures of the pages: small files, which neither a page nor a phone scales down until nobody can read them.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const PHONE = 400 // pixels; a phone of 390 has room for 342
const PAGE = 820
const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((path) => join(root, 'docs', path))
const pages = [...docs, join(root, 'README.md'), join(root, 'examples/README.md')].filter((path) => path.endsWith('.md'))

/** Each picture of a page: its file, and the one for a phone, which may be the same. */
const pictures = [...pages, join(root, 'website/index.md')].flatMap((page) => {
  const folder = page.includes('website') ? root : dirname(page)
  const text = readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '')
  const shown = [...text.matchAll(/(?:<source media="\(max-width: 600px\)" srcset="([^"]+)">\s*)?<img src="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)/g)]
  return shown.map(([, narrow, wide, plain]) => ({ page: relative(root, page), file: join(folder, wide ?? plain), phone: join(folder, narrow ?? wide ?? plain) }))
})

const width = (file) => Number(/viewBox="0 0 (\d+)/.exec(readFileSync(file, 'utf8'))[1])

test('pages have pictures, and each is a small file', () => {
  assert.ok(pictures.length >= 10, `only ${pictures.length}`)
  for (const { page, file, phone } of pictures) {
    for (const each of [file, phone]) {
      assert.ok(existsSync(each), `${page}: no ${each}`)
      assert.ok(statSync(each).size < 100_000, `${each} has ${statSync(each).size} bytes`)
    }
  }
})

test('the text of each picture can be read, also on a phone', () => {
  for (const { page, file, phone } of pictures.filter((picture) => picture.file.endsWith('.svg'))) {
    assert.ok(width(file) <= PAGE, `${page}: ${file} is ${width(file)} wide, more than ${PAGE}`)
    assert.ok(width(phone) <= PHONE, `${page}: ${phone} is ${width(phone)} wide, more than ${PHONE}`)
  }
})
