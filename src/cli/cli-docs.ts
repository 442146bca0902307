import { type Command, type Examples, kebab, type Option } from './command.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { GLOBAL_OPTIONS } from './globals.ts'
import { ENVIRONMENT, EXIT_CODES } from './help.ts'

type Row = readonly [left: string, right: string]

/** The page about the command line, from the same tables as its help. */
export async function cliDocs(): Promise<string> {
  const loaded = await Promise.all(
    COMMANDS.map(async (entry) => ({ ...entry, command: (await entry.load()).command })),
  )
  const sections: string[] = []
  let group = ''
  for (const { name, summary, command } of loaded) {
    const [first = ''] = name.split(' ')
    if (first !== group && first in GROUPS) sections.push(`### ${first}\n\n${GROUPS[first]?.summary}.`)
    group = first
    sections.push(commandDocs(name, summary, command))
  }
  return `${INTRODUCTION}
## Options of every command

${table(['option', 'meaning'], GLOBAL_OPTIONS)}

## Environment

${table(['variable', 'meaning'], ENVIRONMENT)}

Logins are kept in \`$XDG_CONFIG_HOME/aloft/auth.json\` (\`~/.config\` where that is not set), for you alone to
read.

## Exit codes

${table(['code', 'meaning'], EXIT_CODES)}

## Commands

Words that are common elsewhere mean the same: groups in the singular (\`aloft token ls\`), \`list\` and \`remove\`,
\`teams members invite\`, \`projects create\`, \`certs upload\`.

${sections.join('\n\n')}

This page is made from the commands in \`src/cli\` by \`npm run docs\`, and a test keeps them equal.
`
}

function commandDocs(name: string, summary: string, command: Command): string {
  const args = Object.entries(command.arguments ?? {}).map(
    ([key, { about, required, many }]): Row => [
      bracket(`${kebab(key)}${many ? '...' : ''}`, required),
      about,
    ],
  )
  const options = Object.entries(command.options ?? {}).map(
    ([key, option]): Row => [flagsOf(key, option), option.about],
  )
  const usage = ['aloft', name, ...args.map(([term]) => term), ...(options.length > 0 ? ['[options]'] : [])]
  return [
    `#### aloft ${name}`,
    `${summary}.${command.about === undefined ? '' : ` ${command.about}`}`,
    `\`${usage.join(' ')}\``,
    ...(args.length + options.length > 0 ? [table(['', 'meaning'], [...args, ...options])] : []),
    `\`\`\`sh\n${exampleLines(command.examples)}\n\`\`\``,
  ].join('\n\n')
}

const bracket = (term: string, required: boolean): string => (required ? `<${term}>` : `[${term}]`)

const flagsOf = (key: string, { short, placeholder }: Option<unknown>): string =>
  `${short === undefined ? '' : `-${short}, `}--${kebab(key)}${placeholder === undefined ? '' : ` <${placeholder}>`}`

const table = (head: Row, rows: readonly Row[]): string =>
  [
    `| ${head[0]} | ${head[1]} |`,
    '|---|---|',
    ...rows.map(([left, right]) => `| \`${left}\` | ${cell(right)} |`),
  ].join('\n')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

function exampleLines(examples: Examples): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  return examples.map(([line, does]) => `aloft ${line.padEnd(width)}  # ${does}`).join('\n')
}

const INTRODUCTION = `# The command line

Run \`aloft\` in a folder to deploy it. In a clone of Aloft, run \`npm link\` once to make \`aloft\` available in every
folder; without it, \`npx aloft\` works in the clone.

\`\`\`sh
aloft login you@example.com   # once; or set ALOFT_TOKEN
cd my-site
aloft                         # upload, build and print the URL
aloft --prod                  # the same, to production
aloft logs -f                 # follow requests and output live
\`\`\`

## How deploying works

Files are identified by the hash of their content, and only content that the installation does not have yet is
uploaded: several files at once, many small ones in one request. If one of ten thousand files changed, the next
deployment uploads one file. An interrupted upload resumes when you run the command again. Temporary failures (a
restart, a rate limit, a lost connection) are retried, both during the upload and while following the build.

**Left out** are \`.git\`, \`.hg\`, \`.svn\`, \`.aloft\` and \`node_modules\` in every case; the ignore files themselves,
\`.DS_Store\`, \`.env.local\`, \`.env.*.local\`, \`.*.swp\`, \`npm-debug.log\` and \`__pycache__\` unless an ignore file says
otherwise (\`!.env.local\`); and what \`.gitignore\` and \`.aloftignore\` name, in every folder and in the syntax of
git. Of the two, \`.aloftignore\` has the last word. Links within the folder are followed; one that leads out of
it is refused.

**The link.** The first deployment of a folder writes \`.aloft/project.json\`: the project, its team and the
installation. Later deployments go to that project, and commands about a project or a deployment mean it unless
another is named. A folder that a build writes (\`dist\`, \`build\`, \`out\`, \`public\`, \`_site\`, \`www\`) is named after
and linked in the folder that it is in. \`aloft link\` chooses another project, \`--name\` does so once, and
\`--no-link\` writes nothing. Your \`.gitignore\` is never changed.

**Git.** Where the folder is in a git repository, the deployment is given these notes (\`meta\`), unless \`--no-git\`
or \`--meta\` says otherwise: \`gitBranch\`, \`gitCommitSha\`, \`gitCommitMessage\` (its first line), \`gitCommitAuthorName\` and
\`gitDirty\` (\`1\` where something was not committed). A domain of a branch follows \`gitBranch\`, builds are told all
of them, \`aloft inspect\` shows them, and \`aloft ls --meta gitBranch=dev\` finds by them.

**The address** is copied to the clipboard when the command runs on a terminal and \`pbcopy\`, \`wl-copy\`, \`xclip\`, \`xsel\`
or \`clip.exe\` is there for its screen; \`--no-clipboard\` leaves yours alone. \`--qr\` draws it as a QR code, on stderr, so
that \`url=$(aloft --qr)\` still is the address.

## Which account commands use

In this order: the team given with \`--team\`; for commands about a project, the account of the linked folder; the team
chosen with \`aloft teams switch\`; your personal account, which \`--personal\` selects explicitly. The chosen team
belongs to your stored login on one installation: with a token in \`ALOFT_TOKEN\`, commands use your personal account
unless you give \`--team\`. \`aloft whoami\` shows which account is used.

## Output

**People and programs.** Results go to stdout, everything else to stderr: \`url=$(aloft)\` is the address. On
a terminal the progress is one line that is redrawn, and tables leave out their last columns where they are too wide;
in a pipe it is plain lines without colours, and tables are whole. With \`--json\`
the result is one JSON value on stdout (\`logs -f\` prints one a line), nothing else is said, and a failure is one
line of JSON on stderr: \`{ "error": { "code", "message", "hint" } }\`. A deployment's result is

\`\`\`json
{
  "id": "dpl_…", "url": "http://shop-a1b2c3d4e.localhost:3000", "name": "shop", "projectId": "prj_…",
  "target": "production", "readyState": "READY", "aliases": ["http://shop.localhost:3000"],
  "files": { "total": 120, "uploaded": 1 }, "bytes": { "total": 48213, "uploaded": 310 }, "ms": 2140
}
\`\`\`

A build that failed prints the same with \`"readyState": "ERROR"\` and an \`error\`, and exits with 1. Commands that
destroy something ask first; where nobody can be asked they refuse, unless \`--yes\` is given.

## In your own programs

The same steps are a function: \`deploy\` of \`src/client/deploy.ts\` is an async iterator of events.

\`\`\`ts
const client = createClient({ baseUrl: 'http://localhost:3000', token })
for await (const event of deploy({ client, folder: 'dist', name: 'shop', target: 'production' })) {
  if (event.type === 'log') console.log(event.entry.payload.text)
  if (event.type === 'ready') console.log(event.deployment.url)
}
\`\`\`
`
