import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { arch } from 'node:process'
import { TRIED } from './tries.ts'

/** What came of a place. */
export interface Row {
  readonly place: string
  /** What the platform says is in force there. */
  readonly inForce: string
  readonly result: string
}

const PAGE = new URL('../../docs/places.md', import.meta.url)

/** Puts rows in the place of the last ones of their places; the others stay as they are. */
export function writeRows(places: readonly string[], rows: readonly Row[]): void {
  const lines = new Map(existsSync(PAGE) ? readLines(readFileSync(PAGE, 'utf8')) : [])
  for (const { place, inForce, result } of rows)
    lines.set(place, `| ${place} | ${arch} | ${inForce} | ${result.replaceAll('|', '\\|')} |`)
  const kept = places.map((place) => lines.get(place) ?? `| ${place} | | | not tried yet |`)
  writeFileSync(
    PAGE,
    `# Where it was tried

Run as root on a machine with Debian's packages, \`npm run test:places\` starts Aloft in each of these places, deploys what
a new user deploys first (${TRIED.join(', ')}), requests it,
asks \`aloft operator doctor\` which isolation is in effect, and writes this table. \`npm run test:places container\` tests only
the places whose names contain that word. [Installing](installing.md) explains what each place needs.

| place | processor | isolated by | result |
|---|---|---|---|
${kept.join('\n')}

The containers run on a Docker Engine started for the test, from an image of the machine's own programs, and run
\`npm start\` in a fresh clone. The plain ones get no \`docker run\` option that gives a container more rights than usual.
Docker doesn't let them create namespaces, so they have no sandbox. Aloft says so at startup, in \`aloft operator doctor\`
and on the health page; with \`ALOFT_SANDBOX=required\`, it refuses to start.

The service is the unit in \`deploy\`, under a systemd that is booted for the test on a copy of the machine's files, in
separate namespaces. The memory, CPU time and processes of runs are limited there in groups below the service.

Not tested yet, because they weren't available on the machine used for these tests: cgroups version 2 with controllers
(the machine's kernel assigns them to version 1), AppArmor's rule for user namespaces, macOS, and
\`node:24-bookworm-slim\` itself.
`,
  )
}

const readLines = (page: string): [string, string][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => [line.split('|')[1]?.trim() ?? '', line])
