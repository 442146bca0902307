import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { isLeftOut } from '#client/deploy/collect-files.ts'
import { deploy } from '#client/deploy/deploy.ts'
import type { Deployment } from '#client/deploy/deploy-event.ts'
import { getProject } from '#contract/api/project.ts'
import { teamIdOf } from '#contract/ids.ts'
import { findLinkBeside, folderApi, linkedApi, linkFolder } from '../account.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, flag, optional, short, value, values } from '../command.ts'
import { homeFolder } from '../config/home-folder.ts'
import { LINK_FILE, type Link } from '../config/link-file.ts'
import { readTarget } from '../env/read-target.ts'
import { CliError, EXIT, usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { readDeployTarget } from './deploy-target.ts'
import { followDeployment } from './follow-deployment.ts'
import { readGitNotes } from './git-notes.ts'
import { readPairs } from './read-pairs.ts'
import { projectName, readSiteFolder, type SiteFolder } from './site-folder.ts'
import { chooseSource, findWorkspace, isInRepository, type SourceFolder } from './source-folder.ts'

const text = (given: string): string => given

export const command = defineCommand({
  doing: 'deploy the folder',
  about: [
    'Uploads new and changed files, follows the build and prints the URL.',
    'Skips .git, node_modules and everything listed in .gitignore, .vercelignore and .aloftignore. The first',
    `deployment links the folder to its project (${LINK_FILE}); later ones use the same project.`,
    'An interrupted upload continues where it stopped when you run the command again.',
    'A package of a workspace is uploaded with the rest of the workspace, which it is built with.',
  ].join(' '),
  arguments: { folder: optional('folder to deploy; defaults to the current one') },
  options: {
    prod: flag('deploy to production; short for --target production'),
    target: value('target', 'production, preview, staging or a custom environment', readTarget),
    name: value('name', 'project name; defaults to the linked project, then the folder name'),
    env: short('e', values('KEY=value', 'runtime environment variable; can be repeated', text)),
    buildEnv: short('b', values('KEY=value', 'build environment variable; can be repeated', text)),
    meta: short('m', values('key=value', 'metadata to find the deployment by; can be repeated', text)),
    regions: value('list', 'regions its functions run in, separated by commas', (list) =>
      list.split(',').map((r) => r.trim()),
    ),
    public: flag('make the source and the build log public'),
    force: short('f', flag('create a new deployment even if nothing changed')),
    noWait: flag('do not wait for the build'),
    noLink: flag(`do not write ${LINK_FILE}`),
    noWorkspace: flag('upload only the folder, not the rest of its workspace'),
    noGit: flag('do not record the Git branch and commit'),
    noClipboard: flag('do not copy the URL to the clipboard'),
    qr: flag('also show the URL as a QR code'),
  },
  examples: [
    ['deploy', 'deploy the current folder; same as `aloft`'],
    ['deploy dist --prod', 'deploy a folder to production'],
    ['deploy --target staging', 'deploy to a custom environment'],
    [
      'deploy --env API_URL=https://api.example.com -e KEY',
      'set variables; KEY is read from your environment',
    ],
    ['deploy --qr', 'show a QR code to open it on a phone'],
    ['deploy --name shop --json', 'as JSON'],
  ],
  hints: {
    plan_requires_public: 'Add --public.',
    payload_too_large: 'Exclude large files with an .aloftignore file.',
  },
  async run(cli, given) {
    const { out } = cli
    const goalOf = readDeployTarget(given)
    const env = readPairs('--env', given.env, cli.env)
    const buildEnv = readPairs('--build-env', given.buildEnv, cli.env)
    if (given.qr && out.json) throw usageError('--qr and --json cannot be used together.')
    const notes = readPairs('--meta', given.meta)
    const site = readSiteFolder(cli.cwd, given.folder, homeFolder(cli.env))
    const workspace = given.noWorkspace ? undefined : findWorkspace(site, homeFolder(cli.env))
    const isPart =
      !given.noWorkspace && (workspace !== undefined || isInRepository(site, homeFolder(cli.env)))
    const destination = await findProject(cli, site, given.name, isPart)
    const { api } = destination
    const source: SourceFolder = given.noWorkspace
      ? { folder: site.folder }
      : chooseSource(site, workspace, destination.existing, homeFolder(cli.env))
    // What is uploaded with a package may have changed as well.
    const noted = source.folder === site.folder ? site.home : source.folder
    const git = given.noGit ? {} : await readGitNotes(noted, cli.env)
    if (source.folder !== site.folder) tellOfWorkspace(cli, source.folder, site.folder)
    await followDeployment(
      cli,
      api,
      (signal) =>
        deploy({
          client: api,
          ...source,
          name: destination.name,
          project: destination.project,
          ...goalOf,
          regions: given.regions,
          public: given.public,
          force: given.force,
          follow: !given.noWait,
          signal,
          ...(env === undefined ? {} : { env }),
          ...(buildEnv === undefined ? {} : { buildEnv }),
          meta: { ...git, ...notes },
        }),
      {
        ...{ qr: given.qr, copy: !given.noClipboard },
        nothingYet: 'Run it again: uploaded files are not uploaded twice.',
        async onCreated(deployment) {
          if (!given.noLink && destination.link === undefined && given.name === undefined)
            await linkSite(cli, site, deployment)
        },
      },
    )
  },
})

interface DeployProject {
  readonly api: Client
  readonly name: string
  readonly project?: string
  readonly link?: Link
  /** Undefined if nobody has asked for it, or there is none. */
  readonly existing?: { readonly rootDirectory: string | null }
}

/** Where it goes: to the project that is named, else to that of the link, else to one named as the folder. */
async function findProject(
  cli: Cli,
  site: SiteFolder,
  named: string | undefined,
  /** Whether what is uploaded depends on whether it is there already. */
  isAskedFor: boolean,
): Promise<DeployProject> {
  const link = named === undefined ? await findLinkBeside(cli, site.home, site.name) : undefined
  const api = await (named === undefined ? linkedApi(cli, link) : folderApi(cli, site.home))
  if (named !== undefined || link === undefined) {
    const name = named ?? site.name
    // Whoever wrote a script has chosen the folder; a person may have got its name along with it.
    const isGuessed = named === undefined && cli.prompt.canAsk
    const existing = isAskedFor || isGuessed ? await lookUp(api, name) : undefined
    if (isGuessed && existing)
      await cli.prompt.confirm(
        `There is a project ${plainText(existing.name)} already, and this folder is not linked to it. Deploy to that project?`,
      )
    return { api, name, ...(existing ? { existing } : {}) }
  }
  try {
    const existing = await api.call(getProject, { params: { idOrName: link.projectId } })
    const { name } = existing
    // Where the name says which project it is, it is the same deployment as before there was a link.
    if (projectName(name) === name) return { api, name, link, existing }
    return { api, name: projectName(name), project: link.projectId, link, existing }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    throw new CliError(
      EXIT.notFound,
      'The linked project no longer exists or belongs to another account.',
      `Link another project with \`aloft link <project>\`, or remove ${join(site.home, LINK_FILE)}.`,
    )
  }
}

const lookUp = (api: Client, name: string) =>
  api.call(getProject, { params: { idOrName: name } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })

function tellOfWorkspace({ out }: Cli, workspace: string, folder: string): void {
  if (out.json) return
  const inside = plainText(relative(workspace, folder))
  out.say(out.talkColors.dim(`Deploying ${inside} with all of ${plainText(workspace)}.`))
}

async function linkSite(cli: Cli, { home }: SiteFolder, deployment: Deployment): Promise<void> {
  const { out } = cli
  const { ownerId, projectId, name } = deployment
  const teamId = teamIdOf(ownerId)
  linkFolder(cli, home, { projectId, teamId, baseUrl: cli.baseUrl })
  if (out.json) return
  const { dim } = out.talkColors
  out.say(dim(`Linked ${plainText(home)} to the project ${plainText(name)} (${LINK_FILE}).`))
  if (existsSync(join(home, '.git')) && !(await isLeftOut(home, LINK_FILE)))
    out.say(dim('Add .aloft to your .gitignore unless you want to suggest the project to others.'))
}
