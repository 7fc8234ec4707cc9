// SPDX-License-Identifier: Apache-2.0
// The modules whose Javadoc the site has: those whose POM asks for it. Run with the version of a JDK it prints, for each that this JDK
// can build, the name and the folder.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const element = (pom, name) => new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(pom)?.[1]
const parent = readFileSync(join(root, 'pom.xml'), 'utf8')

/** The modules in the order of the parent POM, each with its folder, name, description and the JDK that it needs. */
export const modules = [...parent.matchAll(/<module>(.*?)<\/module>/g)]
  .map(([, folder]) => ({ folder, pom: readFileSync(join(root, folder, 'pom.xml'), 'utf8').replace(/<parent>[\s\S]*?<\/parent>/, '') }))
  .filter(({ pom }) => element(pom, 'maven.javadoc.skip') === 'false')
  .map(({ folder, pom }) => ({
    folder,
    name: element(pom, 'artifactId'),
    description: element(pom, 'description'),
    java: Number(element(pom, 'maven.compiler.release') ?? element(parent, 'maven.compiler.release')),
  }))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { folder, name, java } of modules) {
    if (java <= Number(process.argv[2])) console.log(`${name} ${folder}`)
    else console.error(`site: without the Javadoc of ${name}, which needs JDK ${java}`)
  }
}
