// SPDX-License-Identifier: Apache-2.0
// How the site is searched. VitePress writes the functions of these options into the pages as text, so each is complete in itself.
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import MiniSearch from 'minisearch'

/** The words of the index: without those that every page has, in lower case, with their stems and with the parts of names. */
export const indexOptions = {
  processTerm: (term) => {
    const common = /^(an?|and|are|as|at|be|by|can|do|does|for|from|has|have|how|i|if|in|is|it|its|my|of|on|or|so|that|the|then|there|this|to|what|when|where|which|who|why|will|with|you|your)$/
    const stem = (word) => {
      const short = word.replace(/(?<=....)(ations?|ings?|ed|es|e|s)$/, '')
      return short === word ? word : short.replace(/([bdfgmnprt])\1$/, '$1')
    }
    const parts = term.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ').split(' ')
    const words = [term, ...parts].map((word) => word.toLowerCase()).filter((word) => !common.test(word))
    const terms = [...new Set(words.flatMap((word) => [word, stem(word)]))]
    return terms.length > 0 && terms
  },
}

/**
 * What a word of a query finds: its stem, what begins with it, and long words that differ from it by a letter. Pages for users come
 * before those for authors of drivers and for contributors.
 */
export const searchOptions = {
  boost: { title: 4, text: 2, titles: 2 },
  boostDocument: (id) => {
    if (id.includes('/javadoc/')) return /\/javadoc\/(cts|driver-\w+|gpu-simulator|hal-collectives|hal-gpu|hal-kernels|hal-recording|hal-testkit|hal-utils)\//.test(id) ? 0.15 : 0.6
    return /\/(CONTRIBUTING|docs\/releasing|docs\/design|docs\/(start\/)?write-a-driver|docs\/writing-a-driver|docs\/conformance|docs\/results\/)/.test(id) ? 0.5 : 1
  },
  prefix: true,
  fuzzy: (term) => term.length > 5 && 1,
  weights: { prefix: 0.4, fuzzy: 0.05 },
  processTerm: (term) => {
    const word = term.toLowerCase()
    const common = /^(an?|and|are|as|at|be|by|can|do|does|for|from|has|have|how|i|if|in|is|it|its|my|of|on|or|so|that|the|then|there|this|to|what|when|where|which|who|why|will|with|you|your)$/
    const short = word.replace(/(?<=....)(ations?|ings?|ed|es|e|s)$/, '')
    return !common.test(word) && (short === word ? word : short.replace(/([bdfgmnprt])\1$/, '$1'))
  },
}

const FIELDS = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] } // those of VitePress

/** An index as the pages load it. */
export const loadIndex = (json) => MiniSearch.loadJSON(json, { ...FIELDS, searchOptions, ...indexOptions })

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }
const plain = (html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#(\d+)|(\w+));/g, (entity, code, name) => (code ? String.fromCodePoint(code) : (ENTITIES[name] ?? ' ')))
    .replace(/\s+/g, ' ')
    .trim()

/** The text of a comment in a page of Javadoc, from a place on. */
const comment = (html) => plain(/<div class="block">([\s\S]*?)<\/div>/.exec(html)?.[1] ?? '')

const firstSentence = (text) => text.split(/(?<=[.;]) /, 1)[0]

/** Each type and member of a module whose Javadoc is in a folder, as entries of the index. */
function entries(folder, base) {
  const pages = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[A-Z][\w.]*\.html$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return pages.flatMap((page) => {
    const [head, ...members] = readFileSync(page, 'utf8').split('<section class="detail" id="')
    const description = head.indexOf('<section class="class-description"')
    if (description < 0) return []
    const type = basename(page, '.html')
    const id = base + relative(folder, page).split(sep).join('/')
    return [
      { id, title: type, titles: ['Javadoc', basename(folder)], text: comment(head.slice(description)) },
      ...members.map((member) => {
        const anchor = plain(member.slice(0, member.indexOf('"')))
        const title = anchor.replace(/<init>/, type).replace(/[\w.]+\.(?=\w)/g, '') // without the packages of parameters
        return { id: `${id}#${anchor}`, title, titles: ['Javadoc', basename(folder), type], text: firstSentence(comment(member)) }
      }),
    ]
  })
}

/** Adds the Javadoc of the modules in a folder to the index of VitePress, which has only its own pages. */
export const javadocSearch = (folder, base) => ({
  name: 'jhal:javadoc-search',
  transform(code, id) {
    if (id !== '/@localSearchIndexroot') return undefined
    const index = loadIndex(JSON.parse(code.slice('export default '.length)))
    for (const module of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
      index.addAll(entries(join(folder, module.name), `${base}javadoc/${module.name}/`))
    }
    return `export default ${JSON.stringify(JSON.stringify(index))}`
  },
})
