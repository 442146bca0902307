import type { Static } from 'typebox'
import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { getRelease } from '#contract/api/release.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'

type Release = NonNullable<Static<typeof getRelease.reply>['rollingRelease']>

/** The release of a deployment that is under way; undefined also where the installation knows of none. */
export async function releaseOf(api: Client, idOrName: string, id: string): Promise<Release | undefined> {
  const release = await releaseUnderWay(api, idOrName)
  return release?.canaryDeployment?.id === id ? release : undefined
}

/** The release of a project that is under way; undefined also where the installation knows of none. */
export async function releaseUnderWay(api: Client, idOrName: string): Promise<Release | undefined> {
  try {
    const query = { state: 'ACTIVE' } as const
    const { rollingRelease } = await api.call(getRelease, { params: { idOrName }, query })
    return rollingRelease ?? undefined
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** The release that is under way, and the deployment it is of. */
export async function activeRelease(
  api: Client,
  idOrName: string,
): Promise<{ readonly release: Release; readonly canaryDeploymentId: string }> {
  const { rollingRelease: release } = await api.call(getRelease, {
    params: { idOrName },
    query: { state: 'ACTIVE' },
  })
  const canaryDeploymentId = release?.canaryDeployment?.id
  if (!release || canaryDeploymentId === undefined)
    throw new CliError(
      EXIT.notFound,
      'No release is in progress.',
      'Start one with `aloft releases start <deployment>`.',
    )
  return { release, canaryDeploymentId }
}

/** What became of a release, in a sentence. */
export function showRelease(cli: Cli, answer: Static<typeof getRelease.reply>): void {
  cli.out.show(answer, () => plainText(releaseWords(answer.rollingRelease)))
}

export function releaseWords(release: Release | null): string {
  if (release === null) return 'No releases yet.'
  const name = release.canaryDeployment?.url ?? 'a deleted deployment'
  if (release.state === 'COMPLETE') return `All visitors get ${name}.`
  if (release.state === 'ABORTED')
    return `The release of ${name} was aborted${release.reason === null ? '.' : `: ${release.reason}`}`
  const share = `${release.currentCanaryPercentage}% of visitors get ${name}`
  return release.substate === 'PAUSED' ? `Paused: ${share}. ${release.reason ?? ''}`.trim() : `${share}.`
}

/** What comes next, and when. */
export function nextWords({ nextStage, nextStageAt }: Release, time: (at: number) => string): string {
  if (nextStage === null) return '-'
  const when = nextStageAt === null ? 'when you run `aloft releases approve`' : time(nextStageAt)
  return `${nextStage.targetPercentage}%, ${when}`
}

export const HINTS = { not_found: 'List your projects with `aloft projects ls`.' }
