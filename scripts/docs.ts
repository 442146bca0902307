// `npm run docs`: writes the pages that are made from tables in the source.
import { writeFileSync } from 'node:fs'
import { cliDocs } from '../src/cli/help/cli-docs.ts'
import { configDocs } from '../src/config/config-docs.ts'
import { errorDocs } from '../src/contract/errors-docs.ts'

const write = (name: string, text: string) => writeFileSync(new URL(`../docs/${name}`, import.meta.url), text)
write('config.md', configDocs())
write('errors.md', errorDocs())
write('cli.md', await cliDocs())
