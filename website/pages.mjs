// SPDX-License-Identifier: Apache-2.0
// Collects the pages of the site in the folder that is the first argument: the project's own Markdown at its own paths, so
// that relative links keep working; a page for each source file or folder that a page links to; and the charts.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newestChart, resultPages } from './charts.mjs'
import { modules } from './modules.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = process.argv[2]
const sources = new Set() // paths of files and folders that need a page of their own
const RESULTS = 'docs/results.md'
const LANGUAGES = { '.java': 'java', '.json': 'json', '.xml': 'xml', '.kt': 'kotlin', '.cpp': 'cpp', '.sh': 'sh', '': 'text' }

function write(path, text) {
  mkdirSync(dirname(join(target, path)), { recursive: true })
  writeFileSync(join(target, path), text)
}

/** The text of a page, in which each link to a source file leads to that file's page. */
function linked(path, text) {
  return text.replace(/\]\(([^)\s#:]+)(#[^)\s]*)?\)/g, (link, to, anchor = '') => {
    const file = normalize(join(dirname(path), to))
    if (!existsSync(join(root, file))) {
      if (existsSync(join(target, file))) return link
      throw new Error(`${path}: no file '${to}'`)
    }
    if (to.endsWith('.html')) return `${link}{target="_self"}` // no page of VitePress
    if (to.endsWith('.md') || to.endsWith('.svg')) return link
    if (statSync(join(root, file)).isDirectory() && existsSync(join(root, file, 'README.md'))) {
      return `](${to.replace(/\/?$/, '/README.md')}${anchor})`
    }
    sources.add(file.replace(/\/$/, ''))
    return `](${to.replace(/\/$/, '')}.md${anchor})`
  })
}

function page(path) {
  const hidden = path === 'CHANGELOG.md' ? '---\nsearch: false\n---\n' : ''
  write(path, hidden + linked(path, readFileSync(join(root, path), 'utf8')))
}

/** All files below a folder, without what a build leaves there. */
function walk(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== 'target')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)]))
}

function sourcePage(path) {
  const head = `---\nsearch: false\noutline: false\n---\n# ${basename(path)}\n\n`
  if (!statSync(join(root, path)).isDirectory()) {
    const code = readFileSync(join(root, path), 'utf8').trimEnd()
    write(`${path}.md`, `${head}\`${path}\`\n\n~~~~${LANGUAGES[extname(path)] ?? 'text'}\n${code}\n~~~~\n`)
    return
  }
  const files = walk(path).filter((file) => extname(file) in LANGUAGES)
  files.forEach(sourcePage)
  const list = files.map((file) => `- [${relative(path, file)}](${relative(dirname(path), file)}.md)`)
  write(`${path}.md`, `${head}The folder \`${path}\`:\n\n${list.join('\n')}\n`)
}

/** The section of a page below a heading of the second level. */
function section(path, heading) {
  const text = readFileSync(join(root, path), 'utf8')
  const start = text.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`${path} has no section '${heading}'`)
  const end = text.indexOf('\n## ', start + 1)
  return text.slice(text.indexOf('\n', start + 1) + 1, end < 0 ? undefined : end)
}

const markdown = [...walk('docs').filter((file) => file.endsWith('.md') && file !== RESULTS), 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'examples/README.md', 'examples/template/README.md', 'findings/README.md']
markdown.forEach(page)
for (const [path, text] of resultPages(join(root, 'docs/results'), readFileSync(join(root, RESULTS), 'utf8'))) write(path, text)
write(
  'javadoc/index.md',
  `# Javadoc\n\nPrograms need hal-api. Each module has its own pages; the search of this site finds the types and members of all.\n\n${modules
    .map(({ name, description }) => {
      const isBuilt = existsSync(join(target, 'public/javadoc', name, 'index.html'))
      return `- ${isBuilt ? `<a href="${name}/index.html" target="_self">${name}</a>` : `${name} (not in this build)`}: ${description}`
    })
    .join('\n')}\n`,
)
const program = /```java\n[\s\S]*?```/.exec(section('README.md', 'The shortest program'))[0]
const devices = /^\| \|[\s\S]*?\n\n/m.exec(section('README.md', 'Which driver supports what'))[0]
const start = readFileSync(join(root, 'website/index.md'), 'utf8').replace('<!-- program -->', () => program)
const chart = newestChart(join(root, 'docs/results'))
write('index.md', linked('index.md', start.replace('<!-- devices -->', () => devices).replace('<!-- chart -->', () => chart)))
sources.forEach(sourcePage)
for (const file of [...walk('docs'), 'examples/edges/input.png']) {
  if (file.endsWith('.svg') || file.endsWith('.png')) cpSync(join(root, file), join(target, file))
  if (file.endsWith('report.html')) cpSync(join(root, file), join(target, 'public', file))
}
