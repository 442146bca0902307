import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Step } from './report.ts'

const PAGE = new URL('../../docs/clients.md', import.meta.url)

/** Without what is about the machine of the run, and short enough for a table. */
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replace(/\(node:\d+\)[^\n]*\n|\(Use `node[^\n]*\n/g, '')
    .replace(/\/tmp\/\S+/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
const lineOf = ({ client, version, command, problem, expected }: Step): string =>
  `| ${client} | ${version} | \`${cell(command)}\` | ${problem === undefined ? 'works' : cell(expected ? problem : `fails: ${problem}`)} |`

const keyOf = (line: string): string => line.split(' | ').slice(0, 2).join(' | ')

/** Puts the steps in the place of the last ones of their clients; those of other clients stay as they are. */
export function writeTable(steps: readonly Step[]): void {
  const lines = steps.filter(({ command }) => command !== 'install').map(lineOf)
  const tried = new Set(lines.map(keyOf))
  const before = existsSync(PAGE) ? readFileSync(PAGE, 'utf8').split('\n') : []
  const kept = before.filter((line) => /^\| (?!client |---)/.test(line) && !tried.has(keyOf(line)))
  const all = [...kept, ...lines].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
  const works = all.filter((line) => line.endsWith('| works |')).length
  writeFileSync(
    PAGE,
    `# Clients that people already have

Published clients work with Aloft as they are, pointed at its address:

\`\`\`sh
vercel --api https://api.example.com --token "$TOKEN" deploy
\`\`\`

\`npm run test:clients\` installs them, drives each through its steps on an installation of its own and writes this table;
\`npm run test:clients vercel@28\` does so for one. ${works} of ${all.length} steps work; the others say why they do not.

| client | version | command | |
|---|---|---|---|
${all.join('\n')}

## Node.js 24 and older packages

Projects that are made at the addresses of other clients begin with Node.js 24.x, and versions of \`@vercel/sdk\` such as
1.10 do not know it: what they are answered about such a project fails their own validation (\`nodeVersion Invalid enum
value\`), though what was asked for is done. Set the project to a version that they know, in the dashboard or with
\`aloft projects set NAME --node-version 22.x\` (or \`20.x\`), or use a newer version of the package.

## GitHub Actions

\`amondnet/vercel-action\` runs \`npx vercel\`, to which its \`vercel-args\` are given for the deployment alone. Tell the
command line where the API is in a step before it, so that \`inspect\` and \`alias\` ask there as well:

\`\`\`yaml
- run: |
    mkdir -p ~/.local/share/com.vercel.cli
    echo '{"api":"https://api.example.com"}' > ~/.local/share/com.vercel.cli/config.json
- uses: amondnet/vercel-action@v42
  with:
    vercel-token: \${{ secrets.ALOFT_TOKEN }}
    vercel-org-id: \${{ vars.ALOFT_USER_ID }}
    vercel-project-id: \${{ vars.ALOFT_PROJECT_ID }}
    vercel-args: --prod
\`\`\`

The same file lets \`vercel pull\`, \`vercel build\` and \`vercel deploy --prebuilt\` be steps of a workflow without
\`--api\`. The action's \`experimental-api\` asks api.vercel.com whatever it is told. [CI](ci.md) has a workflow of our
own.

## Deploy buttons

Put the address of the dashboard in the place of \`https://vercel.com\`:

\`\`\`md
[Deploy](https://api.example.com/new/clone?repository-url=https://github.com/me/site&env=API_KEY)
\`\`\`

It opens *New project* with the repository filled in; nothing happens before somebody chooses *Deploy*. Understood are
\`repository-url\` (also the page of a branch or folder: \`…/tree/main/site\`), \`project-name\`, \`env\`, \`envDescription\`,
\`envLink\`, \`root-directory\`, \`build-command\`, \`install-command\` and \`output-directory\`; also \`/new/import?s=…\` and
\`/import/git?s=…\`. The repository is deployed where it is, and not copied.

## What was not run

- **\`vercel\` 61 to 63**: they depend on versions of other packages that npm does not find, so that they do not install.
  So does 64.0.2, which is run with \`sandbox\` 4.5.0 in the place of the 4.4.0 that it names.
- **\`now\` 15 and older**: installing one fetches its program from GitHub, which the machine of the run does not reach.
- **The Terraform provider** is a program in Go that is not installed here. What it sends for projects, variables,
  deployments, domains, records and aliases is sent by \`test/api/integration/terraform.test.ts\`, as its source says. Its updates of a
  project go to an address of our own, which refuses settings that Aloft does not have.
- \`now\` and \`vercel\` up to 25 are run by Node.js 16, all others by the one that Aloft runs on.
`,
  )
}
