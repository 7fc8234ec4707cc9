// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { indexOptions, javadocSearch, searchOptions } from '../search.mjs'

const item = (text, link) => ({ text, link })
const group = (text, ...items) => ({ text, items })

/** Code without a language, which most pages indent instead of fencing, looks like other code; commands are colored. */
function indentedCode(md) {
  md.renderer.rules.code_block = (tokens, index, options, env, self) => {
    const token = tokens[index]
    token.info = /^(\S*\/)?(hal|site|mvn|java|git|cp|mkdir|tar|unzip|npm|export|grep|sed|python3) |^\.\//m.test(token.content) ? 'sh' : 'text'
    return md.renderer.rules.fence(tokens, index, options, env, self)
  }
}

/** The anchors that repository pages use, too: no punctuation, and a hyphen for each space. */
const slug = (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')

/** A wide table scrolls in a box of its own, not the page. */
function scrollingTables(md) {
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>'
  md.renderer.rules.table_close = () => '</table></div>'
}

const base = process.env.JHAL_SITE_BASE || '/'
const javadoc = fileURLToPath(new URL('../pages/public/javadoc', import.meta.url))

export default defineConfig({
  title: 'JHAL',
  description: 'JHAL runs kernels on accelerators from Java.',
  lang: 'en',
  base,
  srcDir: 'pages',
  srcExclude: ['public/**'], // the licences of the Javadoc's scripts
  outDir: '../build/site',
  cacheDir: '.vitepress/cache',
  vite: { plugins: [javadocSearch(javadoc, base)] },
  markdown: {
    anchor: { slugify: slug },
    languageAlias: { 'gpu-c++': 'cpp' },
    config(md) {
      indentedCode(md)
      scrollingTables(md)
    },
  },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: false, miniSearch: { options: indexOptions, searchOptions } } },
    outline: [2, 3],
    nav: [
      item('Start', '/docs/start/use-a-device'),
      item('Guide', '/docs/guide'),
      item('Contract', '/docs/contract'),
      item('Glossary', '/docs/glossary'),
      item('Javadoc', '/javadoc/'),
    ],
    sidebar: [
      group(
        'Quick starts',
        item('Use a device', '/docs/start/use-a-device'),
        item('Write a driver', '/docs/start/write-a-driver'),
        item('Prove a device', '/docs/start/prove-a-device'),
        item('Spread work', '/docs/start/spread-work'),
      ),
      group(
        'Programs',
        item('Overview', '/README'),
        item('Writing a program', '/docs/guide'),
        item('In an application', '/docs/using'),
        item('Several devices', '/docs/many-devices'),
        item('Collectives', '/docs/collectives'),
        item('Spring Boot', '/docs/spring'),
        item('On a Spark cluster', '/docs/spark'),
        item('A wrong result', '/docs/debugging'),
        item('Recordings', '/docs/recording'),
        item('Tracing', '/docs/tracing'),
        item('Monitoring', '/docs/monitoring'),
        item('Examples', '/examples/README'),
        item('A project to copy', '/examples/template/README'),
      ),
      group('Kernels', item('Writing kernels', '/docs/kernels'), item('Bundles', '/docs/bundles')),
      group(
        'Devices',
        item('CPU', '/docs/cpu'),
        item('GPUs', '/docs/gpu'),
        item('NVIDIA', '/docs/cuda'),
        item('AMD', '/docs/hip'),
        item('Vulkan', '/docs/vulkan'),
        item('C++ on Vulkan', '/docs/spirv'),
      ),
      group(
        'Drivers and conformance',
        item('Writing a driver', '/docs/writing-a-driver'),
        item('The conformance suite', '/docs/conformance'),
        item('Proven devices', '/docs/conformance/README'),
      ),
      group(
        'Reference',
        item('Contract', '/docs/contract'),
        item('Glossary', '/docs/glossary'),
        item('Architecture', '/docs/architecture'),
        item('Design', '/docs/design'),
        item('Javadoc', '/javadoc/'),
      ),
      group(
        'Measurements',
        item('Benchmarks', '/docs/benchmarks'),
        item('Results', '/docs/results'),
        item('Files of results', '/docs/results/README'),
      ),
      group('Project', item('Contributing', '/CONTRIBUTING'), item('Findings', '/findings/README'), item('Changes', '/CHANGELOG'), item('Security', '/SECURITY')),
    ],
  },
})
