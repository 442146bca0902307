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

\`npm run test:places\` starts Aloft in each of these places, as root of a machine with Debian's packages, deploys what a new
user deploys first (${TRIED.join(', ')}), visits it, asks \`aloft operator doctor\` what
is in force, and writes this table; \`npm run test:places container\` does so for those places alone whose name says so.
[Installing](installing.md) tells what each needs.

| place | processor | isolated by | result |
|---|---|---|---|
${kept.join('\n')}

The containers are of a Docker Engine that is started for it, on an image of the machine's own programs, with no option of
\`docker run\` that gives a container more than usual, and \`npm start\` in a fresh clone. Docker lets such a container
make no namespaces, so that there is no sandbox in it, which is said at the start, by \`aloft operator doctor\` and on the
health page; with \`ALOFT_SANDBOX=required\` it refuses to start.

The service is the unit of \`deploy\`, under a systemd that is booted for it over a copy of the machine's files, in
namespaces of its own. Memory, CPU time and processes of runs are limited there in groups below the service.

Not tried yet, as the machine on which this was written could not have them: cgroups of version 2 with controllers (its
kernel gives them to version 1), AppArmor's rule for user namespaces, macOS, and \`node:24-bookworm-slim\` itself.
`,
  )
}

const readLines = (page: string): [string, string][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => [line.split('|')[1]?.trim() ?? '', line])
