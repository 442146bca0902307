import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { ConnectionError } from '#client/connection-error.ts'
import type { Deployment } from '#client/deploy/deploy-event.ts'
import { siteAddress } from '#client/site-address.ts'
import { showDuration } from '#contract/amounts.ts'
import { listDeploymentAliases } from '#contract/api/alias.ts'
import { getProject } from '#contract/api/project.ts'
import type { Cli } from '../cli.ts'
import { quoted, readFailure } from '../deployment/log/build-failure.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { releaseOf } from '../release/release.ts'
import type { Reporter } from './reporter.ts'

interface DeployOutcome {
  readonly reporter: Reporter
  readonly ms: number
  readonly handOver: { readonly qr: boolean; readonly copy: boolean }
}

const GOALS = { production: 'Production', staging: 'Staging', preview: 'Also at' } as const

/** Where a deployment is, in labelled lines for a person; only its address, or all of it as JSON, for programs. */
export async function showResult(
  cli: Cli,
  api: Client,
  deployment: Deployment,
  { reporter, ms, handOver: to }: DeployOutcome,
): Promise<void> {
  const { out } = cli
  const { id, name, projectId, readyState, errorCode, errorMessage } = deployment
  const url = deployment.url === null ? null : siteAddress(cli.baseUrl, deployment.url)
  const inspect = `${cli.baseUrl}/deployments/${id}`
  const failed = readyState === 'ERROR'
  const { aliases, held } =
    readyState === 'READY' ? await standing(cli, api, deployment) : { aliases: [], held: undefined }
  const failure = failed ? await readFailure(api, deployment) : undefined
  const result = {
    id,
    url,
    name,
    projectId,
    target: deployment.target ?? null,
    ...(deployment.customEnvironment ? { customEnvironment: deployment.customEnvironment } : {}),
    readyState,
    aliases,
    inspect,
    ...(held === undefined ? {} : { held }),
    files: { total: reporter.total().files, uploaded: reporter.uploaded().files },
    bytes: { total: reporter.total().bytes, uploaded: reporter.uploaded().bytes },
    ms,
    ...(failure ? { error: { code: errorCode ?? 'failed', message: errorMessage ?? '', ...failure } } : {}),
  }
  if (failure !== undefined) {
    if (out.json) out.show(result, () => '')
    else if (failure.lines.length > 0) {
      out.say('\nFrom the build log:')
      out.say(`${quoted(failure.lines, out.talkColors)}\n`)
    }
    throw new CliError(
      EXIT.failure,
      errorMessage ?? 'The build failed.',
      `${failure.hint} Full log: \`aloft logs ${id} --build\`.`,
      errorCode ?? 'failed',
    )
  }
  if (!out.json) {
    const { green, bold, dim, yellow } = out.talkColors
    const label = (word: string, address: string) => out.say(`${dim(word.padEnd(10))}  ${plainText(address)}`)
    const took = dim(`in ${showDuration(ms)}`)
    if (readyState !== 'READY')
      out.say(`${bold('Created')} ${dim(`${id}; watch it with \`aloft logs ${id} --build -f\``)}`)
    else if (held === undefined) out.say(`${bold(green('Ready'))} ${took}`)
    else out.say(`${bold(green('Ready'))} ${took}, ${yellow(plainText(heldWords(held, id)))}`)
    // The first of a deployment's names shows the newest one, whatever it was made for.
    const newest = siteAddress(cli.baseUrl, deployment.aliasFinal[0] ?? '')
    const own = deployment.customEnvironment?.slug
    const goal = held === undefined ? (own ?? GOALS[deployment.target ?? 'preview']) : 'Also at'
    // A domain of their own is what people look for first.
    const site = url === null ? '' : new URL(url).hostname.replace(/^[^.]+/, '')
    const order = (alias: string) =>
      alias === newest ? 2 : site !== '' && new URL(alias).hostname.endsWith(site) ? 1 : 0
    for (const alias of aliases.toSorted((a, b) => order(a) - order(b)))
      label(alias === newest ? 'Also at' : goal, alias)
    if (url !== null)
      label(deployment.target === undefined && own === undefined ? 'Preview' : 'Deployment', url)
    label('Inspect', inspect)
    if (url !== null) await handOver(cli, plainText(url), to)
  }
  out.show(result, () => plainText(url ?? id))
}

/** Why production does not show a deployment that was made for it. */
interface HeldProduction {
  readonly by: 'rollback' | 'pause' | 'release'
  /** Of the visitors that get it all the same, in per cent. */
  readonly share?: number
  /** What production shows instead; null where it shows nothing. */
  readonly deploymentId: string | null
  readonly url: string | null
}

const heldWords = ({ by, url, deploymentId, share = 0 }: HeldProduction, id: string): string => {
  const where = url ?? deploymentId
  if (by === 'release')
    return `and ${share}% of production visitors get it; follow it with \`aloft releases status\``
  const at = where === null ? '' : ` at ${where}`
  return by === 'rollback'
    ? `but production is held${at} since your rollback; make it live with \`aloft promote ${id}\``
    : `but the project is paused and production is held${at}; resume it with \`aloft unpause\``
}

/** Which addresses show it indeed, and what keeps production from doing so. */
async function standing(
  cli: Cli,
  api: Client,
  deployment: Deployment,
): Promise<{ readonly aliases: readonly string[]; readonly held: HeldProduction | undefined }> {
  const { id, projectId } = deployment
  try {
    const [{ aliases }, project] = await Promise.all([
      api.call(listDeploymentAliases, { params: { id } }),
      deployment.target === 'production'
        ? api.call(getProject, { params: { idOrName: projectId } })
        : undefined,
    ])
    const addresses = aliases.map(({ alias }) => siteAddress(cli.baseUrl, alias))
    const isHeld = project !== undefined && (project.lastRollbackTarget !== null || project.paused)
    const live = project?.targets.production
    if (project === undefined || live?.id === id) return { aliases: addresses, held: undefined }
    if (!isHeld) return { aliases: addresses, held: await inRelease(api, project.id, id) }
    return {
      aliases: addresses,
      held: {
        by: project.lastRollbackTarget === null ? 'pause' : 'rollback',
        deploymentId: live?.id ?? null,
        url: live?.url ? siteAddress(cli.baseUrl, live.url) : null,
      },
    }
  } catch (error) {
    // A token that may deploy need not be allowed to look at the project, and a server may restart meanwhile; the
    // deployment is there all the same.
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error
    return { aliases: deployment.alias.map((host) => siteAddress(cli.baseUrl, host)), held: undefined }
  }
}

/** Where it is on its way to visitors step by step. */
async function inRelease(api: Client, idOrName: string, id: string): Promise<HeldProduction | undefined> {
  const release = await releaseOf(api, idOrName, id)
  if (release === undefined) return undefined
  const { currentDeployment, currentCanaryPercentage: share } = release
  return { by: 'release', share, deploymentId: currentDeployment?.id ?? null, url: null }
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
  if (await copyToClipboard(address, env)) out.say(out.talkColors.dim('Copied to the clipboard:'))
}
