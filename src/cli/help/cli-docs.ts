import { type Command, type Examples, kebab, type Option } from '../command.ts'
import { COMMANDS, GROUPS } from '../commands.ts'
import { GLOBAL_OPTIONS } from '../globals.ts'
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
## Global options

${table(['option', 'meaning'], GLOBAL_OPTIONS)}

## Environment variables

${table(['variable', 'meaning'], ENVIRONMENT)}

Logins are stored in \`$XDG_CONFIG_HOME/aloft/auth.json\` (\`~/.config\` if that is not set), readable only by you.

## Exit codes

${table(['code', 'meaning'], EXIT_CODES)}

## Commands

Common alternative spellings work too: groups in the singular (\`aloft token ls\`), \`list\` and \`remove\`,
\`teams members invite\`, \`projects create\`, \`certs upload\`.

${sections.join('\n\n')}

This page is generated from the commands in \`src/cli\` by \`npm run docs\`; a test checks that it is up to date.
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
folder; without it, \`npx aloft\` works in the clone. If \`npm link\` fails with \`EACCES\`, run
\`mkdir -p ~/.local/bin && ln -s "$PWD/bin/aloft.js" ~/.local/bin/aloft\` in the clone and open a new terminal.

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

**Ignored files.** \`.git\`, \`.hg\`, \`.svn\`, \`.aloft\` and \`node_modules\` are always skipped. The ignore files
themselves, \`.DS_Store\`, \`.env.local\`, \`.env.*.local\`, \`.*.swp\`, \`npm-debug.log\` and \`__pycache__\` are skipped
unless an ignore file includes them (\`!.env.local\`). Everything listed in \`.gitignore\`,
\`.vercelignore\` (or \`.nowignore\` where there is none) and \`.aloftignore\` is skipped too, in every folder and with Git's
syntax; later ones of these files take precedence (\`!dist\` includes what \`.gitignore\` excludes). Deployments from Git
skip what \`.vercelignore\` and \`.aloftignore\` list. Symlinks within the folder are followed; a symlink that points
outside of it is refused.

**The linked project.** The first deployment of a folder writes \`.aloft/project.json\` with the project, its team and
the installation. Later deployments go to that project, and commands about a project or a deployment use it unless
you name another. A build output folder (\`dist\`, \`build\`, \`out\`, \`public\`, \`_site\`, \`www\`) takes the name of its
parent folder, and the link is stored there. \`aloft link\` chooses another project, \`--name\` does so for one
deployment, and \`--no-link\` writes nothing. Your \`.gitignore\` is never changed. On a terminal, you are asked before
a folder that isn't linked goes to a project that exists already.

A link counts only in the folder, and on the machine, where you made it. A \`.aloft/project.json\` that came with a
repository or an archive could name any of your projects, so the command line asks before it uses it, once for each
folder. Without a terminal it refuses, with \`--yes\` too, unless \`aloft deploy\` would choose the same project by the
folder's name. In CI, name the project (\`--name\` or \`--project\`, and \`--team\`), or run \`aloft link <project>\`
first.

**Git.** If the folder is in a Git repository, the deployment gets this metadata (\`meta\`), unless \`--no-git\` or
\`--meta\` overrides it: \`gitBranch\`, \`gitCommitSha\`, \`gitCommitMessage\` (first line), \`gitCommitAuthorName\` and
\`gitDirty\` (\`1\` if there are uncommitted changes). Branch domains follow \`gitBranch\`, builds can read all of it,
\`aloft inspect\` shows it, and \`aloft ls --meta gitBranch=dev\` filters by it.

**The URL** is copied to the clipboard if the command runs on a terminal and \`pbcopy\`, \`wl-copy\`, \`xclip\`, \`xsel\`
or \`clip.exe\` is available; disable this with \`--no-clipboard\`. \`--qr\` also shows it as a QR code on stderr, so
\`url=$(aloft --qr)\` still captures only the URL.

## Which account commands use

In this order: the team given with \`--team\`; for commands about a project, the account of the linked folder; the team
chosen with \`aloft teams switch\`; your personal account, which \`--personal\` selects explicitly. The chosen team
belongs to your stored login on one installation: with a token in \`ALOFT_TOKEN\`, commands use your personal account
unless you give \`--team\`. \`aloft whoami\` shows which account is used.

## Output

Results go to stdout, everything else to stderr: \`url=$(aloft)\` captures the URL. On a terminal, progress is a single
line that is redrawn, and tables that are too wide drop their last columns; in a pipe, progress is plain lines without
colors, and tables are complete. With \`--json\`, the result is one JSON value on stdout (\`logs -f\` prints one per
line), nothing else is printed, and a failure is one line of JSON on stderr:
\`{ "error": { "code", "message", "hint" } }\`. The result of a deployment is

\`\`\`json
{
  "id": "dpl_…", "url": "http://shop-a1b2c3d4e.localhost:3000", "name": "shop", "projectId": "prj_…",
  "target": "production", "readyState": "READY", "aliases": ["http://shop.localhost:3000"],
  "files": { "total": 120, "uploaded": 1 }, "bytes": { "total": 48213, "uploaded": 310 }, "ms": 2140
}
\`\`\`

A failed build prints the same with \`"readyState": "ERROR"\` and an \`error\`, and exits with 1. Commands that destroy
something ask for confirmation; without a terminal they refuse, unless you pass \`--yes\`.

## In your own programs

The same steps are available as a function: \`deploy\` in \`src/client/deploy/deploy.ts\` is an async iterator of events.

\`\`\`ts
const client = createClient({ baseUrl: 'http://localhost:3000', token })
for await (const event of deploy({ client, folder: 'dist', name: 'shop', target: 'production' })) {
  if (event.type === 'log') console.log(event.entry.payload.text)
  if (event.type === 'ready') console.log(event.deployment.url)
}
\`\`\`
`
