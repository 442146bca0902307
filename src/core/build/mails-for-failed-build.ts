import { isCancelled } from '#contract/build/build-hint.ts'
import { errorLinesOf } from '#contract/build/error-lines.ts'
import { terminalText } from '#contract/build/terminal-text.ts'
import { MINUTE } from '#contract/time.ts'
import type { Deployment, Failure } from '../deployment/deployment.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import { BUILD_LINES, type LogStore } from '../log/log-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Mail } from '../ports/mailer.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { addressesOf } from '../team/account-people.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { UserStore } from '../user/user-store.ts'
import { failedBuildMail, type QuotedLine } from './failed-build-mail.ts'

interface MailParts {
  readonly deployments: Pick<DeploymentStore, 'list'>
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
  readonly users: Pick<UserStore, 'byId'>
  readonly teams: Pick<TeamStore, 'member' | 'members'>
  readonly log: Pick<LogStore, 'read'>
  readonly clock: Clock
  readonly baseUrl: string
}

/** The mails about a build that has just failed; none where nobody is to be told. */
export type MailsForFailedBuild = (deployment: Deployment, failure: Failure) => Promise<readonly Mail[]>

/** A script that deploys again and again fills no mailbox: whoever was told a moment ago knows. */
const QUIET = 10 * MINUTE

export function createMailsForFailedBuild(parts: MailParts): MailsForFailedBuild {
  const { deployments, projects, users, teams, log, clock, baseUrl } = parts

  /** Whoever deployed, as long as they belong to the account; else those who answer for it. */
  async function recipients({ ownerId, creatorId }: Deployment): Promise<readonly string[]> {
    const creator = await users.byId(creatorId)
    if (creator && (ownerId === creatorId || (await teams.member(ownerId, creatorId)))) return [creator.email]
    return addressesOf({ teams, users }, ownerId)
  }

  async function wasNotified({ id, ownerId, projectId, creatorId }: Deployment): Promise<boolean> {
    const filter = { projectId, creators: [creatorId], states: ['ERROR'] } as const
    const { items } = await deployments.list(ownerId, { limit: 10 }, filter)
    const since = clock.now() - QUIET
    return items.some(
      (other) => other.id !== id && other.stateAt > since && !isCancelled(other.failure?.code),
    )
  }

  async function quotedLines(id: string, { message }: Failure): Promise<readonly QuotedLine[]> {
    const { entries } = await log.read(id, { builds: true, direction: 'backward', limit: BUILD_LINES })
    const lines = entries.toReversed().map(({ type, text }) => ({ type, payload: { text } }))
    return errorLinesOf(lines, 0, message).map(({ number, line }) => ({
      number,
      text: terminalText(line.payload.text),
    }))
  }

  return async (deployment, failure) => {
    if (isCancelled(failure.code)) return []
    const project = await projects.byIdOrName(deployment.ownerId, deployment.projectId)
    if (!project?.details.emailOnFailedBuild || (await wasNotified(deployment))) return []
    const lines = await quotedLines(deployment.id, failure)
    const about = { deployment, project: project.name, failure, lines }
    return (await recipients(deployment)).map((to) => failedBuildMail(to, about, baseUrl))
  }
}
