import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { isLeftOut } from '#client/collect-files.ts'
import { deploy } from '#client/deploy.ts'
import type { Deployment } from '#client/deploy-event.ts'
import { siteAddress } from '#client/site-address.ts'
import { TARGETS, type Target } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { teamIdOf } from '#contract/ids.ts'
import { linkedApi } from '../account.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, flag, oneOf, optional, short, value, values } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { LINK_FILE, type Link, readLink, writeLink } from '../link-file.ts'
import { plainText } from '../plain-text.ts'
import { shortDuration } from '../relative-time.ts'
import { readGitNotes } from './git-notes.ts'
import { readPairs } from './read-pairs.ts'
import { createReporter, type Reporter } from './reporter.ts'
import { projectName, readSiteFolder, type SiteFolder } from './site-folder.ts'

const text = (given: string): string => given

export const command = defineCommand({
  doing: 'deploy the folder',
  about: [
    'Uploads what the installation does not have yet, follows the build and prints the address.',
    'Left out are .git, node_modules and what .gitignore and .aloftignore name. The first',
    `deployment links the folder to its project (${LINK_FILE}); later ones go to the same.`,
    'Stopped on its way, it goes on where it was when it is run again.',
  ].join(' '),
  team: true,
  arguments: { folder: optional('the folder; the current one when left out') },
  options: {
    prod: flag('to production: the same as --target production'),
    target: value('target', TARGETS.join(' or '), oneOf(TARGETS)),
    name: value('name', 'the project; when left out the linked one, or one named as the folder'),
    env: short('e', values('KEY=value', 'variable of the running site; can be repeated', text)),
    buildEnv: short('b', values('KEY=value', 'variable of the build; can be repeated', text)),
    meta: short('m', values('key=value', 'a note to find it by; can be repeated', text)),
    regions: value('list', 'where it runs, separated by commas', (list) =>
      list.split(',').map((r) => r.trim()),
    ),
    public: flag('let everybody read the source and the log'),
    force: short('f', flag('a new deployment although nothing changed')),
    noWait: flag('do not wait for the build'),
    noLink: flag(`do not write ${LINK_FILE}`),
    noGit: flag('without notes of the branch and the commit'),
    noClipboard: flag('do not copy the address to the clipboard'),
    qr: flag('show the address as a QR code too'),
  },
  examples: [
    ['deploy', 'put the current folder online; `aloft` alone does the same'],
    ['deploy dist --prod', 'put a folder into production'],
    ['deploy --env API_URL=https://api.example.com -e KEY', 'with variables; KEY is taken from yours'],
    ['deploy --qr', 'and open it on a phone'],
    ['deploy --name shop --json', 'for a program to read'],
  ],
  hints: {
    plan_requires_public: 'Add --public.',
    payload_too_large: 'Leave large files out with an .aloftignore file.',
  },
  async run(cli, given) {
    const { out } = cli
    if (given.prod && given.target === 'staging')
      throw usageError('--prod and --target staging exclude each other.')
    const target: Target | undefined = given.prod ? 'production' : given.target
    const env = readPairs('--env', given.env, cli.env)
    const buildEnv = readPairs('--build-env', given.buildEnv, cli.env)
    if (given.qr && out.json) throw usageError('--qr and --json exclude each other.')
    const notes = readPairs('--meta', given.meta)
    const site = readSiteFolder(cli.cwd, given.folder, cli.env.HOME)
    const [goal, git] = await Promise.all([
      findGoal(cli, site, given.name),
      given.noGit ? {} : readGitNotes(site.home, cli.env),
    ])

    const began = cli.now()
    const reporter = createReporter(out, cli.now)
    const interrupt = new AbortController()
    const onInterrupt = () => interrupt.abort()
    process.on('SIGINT', onInterrupt)
    let last: Deployment | undefined
    try {
      const events = deploy({
        client: goal.api,
        folder: site.folder,
        name: goal.name,
        project: goal.project,
        target,
        regions: given.regions,
        public: given.public,
        force: given.force,
        follow: !given.noWait,
        signal: interrupt.signal,
        ...(env === undefined ? {} : { env }),
        ...(buildEnv === undefined ? {} : { buildEnv }),
        meta: { ...git, ...notes },
      })
      for await (const event of events) {
        reporter.on(event)
        if ('deployment' in event) last = event.deployment
        if (event.type === 'created' && !given.noLink && goal.link === undefined && given.name === undefined)
          await linkFolder(cli, site, event.deployment)
      }
    } catch (error) {
      if (interrupt.signal.aborted) throw interrupted(last)
      throw error
    } finally {
      // Ctrl-C reaches us twice where another program started us: the second should not cut the message short.
      if (!interrupt.signal.aborted) process.off('SIGINT', onInterrupt)
      reporter.stop()
    }
    if (last !== undefined) await showResult(cli, last, reporter, cli.now() - began, given)
  },
})

interface Goal {
  readonly api: Client
  readonly name: string
  readonly project?: string
  readonly link?: Link
}

/** Where it goes: to the project that is named, else to that of the link, else to one named as the folder. */
async function findGoal(cli: Cli, site: SiteFolder, named: string | undefined): Promise<Goal> {
  const link = readLink(site.home, cli.baseUrl)
  const api = await linkedApi(cli, link)
  if (named !== undefined) return { api, name: named }
  if (link === undefined) return { api, name: site.name }
  try {
    const { name } = await api.call(getProject, { params: { idOrName: link.projectId } })
    // Where the name says which project it is, it is the same deployment as before there was a link.
    if (projectName(name) === name) return { api, name, link }
    return { api, name: projectName(name), project: link.projectId, link }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    throw new CliError(
      EXIT.notFound,
      'The project that this folder is linked to is gone, or belongs to another account.',
      `Link it to another with \`aloft link <project>\`, or remove ${join(site.home, LINK_FILE)}.`,
    )
  }
}

async function linkFolder(cli: Cli, { home }: SiteFolder, deployment: Deployment): Promise<void> {
  const { out } = cli
  const { ownerId, projectId, name } = deployment
  const teamId = teamIdOf(ownerId)
  writeLink(home, { projectId, teamId, baseUrl: cli.baseUrl })
  if (out.json) return
  const { dim } = out.talkColors
  out.say(dim(`Linked ${plainText(home)} to the project ${plainText(name)} (${LINK_FILE}).`))
  if (existsSync(join(home, '.git')) && !(await isLeftOut(home, LINK_FILE)))
    out.say(dim('Add .aloft to your .gitignore unless everybody is to share the link.'))
}

const interrupted = (last: Deployment | undefined): CliError =>
  last === undefined
    ? new CliError(
        EXIT.cancelled,
        'You stopped it before anything was deployed.',
        'Run it again: what was uploaded is not uploaded twice.',
      )
    : new CliError(
        EXIT.cancelled,
        `You stopped watching; ${last.id} is built all the same.`,
        `See how it goes with \`aloft inspect ${last.id}\`, or stop it with \`aloft rm ${last.id}\`.`,
      )

async function showResult(
  cli: Cli,
  deployment: Deployment,
  reporter: Reporter,
  ms: number,
  { qr, noClipboard }: { readonly qr: boolean; readonly noClipboard: boolean },
): Promise<void> {
  const { out } = cli
  const { id, name, projectId, readyState, errorCode, errorMessage } = deployment
  const addressOf = (host: string) => siteAddress(cli.baseUrl, host)
  const url = deployment.url === null ? null : addressOf(deployment.url)
  const aliases = deployment.alias.map(addressOf)
  const failed = readyState === 'ERROR'
  const result = {
    id,
    url,
    name,
    projectId,
    target: deployment.target ?? null,
    readyState,
    aliases,
    files: { total: reporter.total().files, uploaded: reporter.uploaded().files },
    bytes: { total: reporter.total().bytes, uploaded: reporter.uploaded().bytes },
    ms,
    ...(failed ? { error: { code: errorCode ?? 'failed', message: errorMessage ?? '' } } : {}),
  }
  if (failed) {
    if (out.json) out.show(result, () => '')
    throw new CliError(
      EXIT.failure,
      errorMessage ?? 'The build failed.',
      `See the whole log with \`aloft logs ${id} --build\`.`,
      errorCode ?? 'failed',
    )
  }
  if (!out.json) {
    const { green, bold, dim } = out.talkColors
    out.say(
      readyState === 'READY'
        ? `${bold(green('Ready'))} ${dim(`in ${shortDuration(Math.max(ms, 1000))}`)}`
        : `${bold('Created')} ${dim(`${id}; follow it with \`aloft logs ${id} --build -f\``)}`,
    )
    for (const alias of aliases) out.say(`${dim('also at')} ${plainText(alias)}`)
    if (url !== null) await handOver(cli, plainText(url), { qr, copy: !noClipboard })
  }
  out.show(result, () => plainText(url ?? id))
}

/** Gives the address to a phone, where that was asked for, and to the clipboard, where a person looks. */
async function handOver(
  { out, env }: Cli,
  address: string,
  { qr, copy }: { readonly qr: boolean; readonly copy: boolean },
): Promise<void> {
  if (qr) out.say((await import('./qr-code.ts')).qrCode(address, out.talkColors.isColorSupported))
  if (!copy || !out.live || !out.seen || env.CI) return
  const { copyToClipboard } = await import('./clipboard.ts')
  if (await copyToClipboard(address, env)) out.say(out.talkColors.dim('copied to the clipboard:'))
}
