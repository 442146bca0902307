import { hash } from 'node:crypto'
import { AloftError } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import { refuseBlocked } from '../access/soft-block.ts'
import { type Application, clientSecretPurpose, type Scopes } from '../application/application.ts'
import type { ApplicationStore } from '../application/application-store.ts'
import { SCOPES_JOB } from '../application/applications.ts'
import { lockApplication } from '../application/lock-application.ts'
import type { EventQueue } from '../event/event.ts'
import type { Installation } from '../installation/installation.ts'
import { projectsChangedEvent } from '../installation/installation-events.ts'
import type { InstallationStore } from '../installation/installation-store.ts'
import { readSelection, type Selection } from '../installation/read-selection.ts'
import { narrowed, queueAfterConsent, scopeList } from '../installation/scope-change.ts'
import type { JobQueue } from '../job/job-queue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { Project } from '../project/project.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { isSameSecret } from '../same-secret.ts'
import type { Team } from '../team/team.ts'
import type { TeamStore } from '../team/team-store.ts'
import { hashBearer } from '../token/token.ts'
import type { TokenStore } from '../token/token-store.ts'
import { issueToken } from '../token/tokens.ts'
import type { User } from '../user/user.ts'
import { CODE_LIFE, type OauthCodeStore } from './oauth-code.ts'

/** What somebody who is asked to let an application in can choose from. */
export interface Choices {
  /** Teams of which they are an OWNER. */
  readonly teams: readonly Team[]
  /** Of the account that they are looking at, the last changed first; all of those that the application has already. */
  readonly projects: readonly Project[]
  /** That account, when it has the application already. */
  readonly present: Installation | undefined
}

interface Consent extends Selection {
  /** Null for the personal account. */
  readonly teamId: string | null
  /** The digest for PKCE. */
  readonly challenge: string | null
}

interface Exchange {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string | undefined
}

interface Granted {
  readonly bearer: string
  readonly installation: Installation
  readonly userId: string
}

/** How applications are let into accounts. */
export interface Authorizations {
  client(clientId: string): Promise<Application>
  choices(user: User, application: Application, teamId: string | null): Promise<Choices>
  /** Installs the application, or finds it installed, and answers what it can exchange for a token. */
  consent(
    user: User,
    application: Application,
    consent: Consent,
  ): Promise<{ readonly code: string; readonly installation: Installation }>
  exchange(exchange: Exchange): Promise<Granted>
}

interface OauthStores {
  readonly locks: Locks
  readonly applications: Pick<ApplicationStore, 'byId' | 'byClientId'>
  readonly installations: InstallationStore
  readonly oauthCodes: OauthCodeStore
  readonly projects: Pick<ProjectStore, 'byIdOrName' | 'list'>
  readonly teams: TeamStore
  readonly tokens: TokenStore
  readonly events: EventQueue
  readonly jobs: JobQueue
}

interface OauthParts {
  readonly stores: Omit<OauthStores, 'jobs'>
  readonly transact: Transact<OauthStores>
  readonly vault: Vault
  readonly clock: Clock
}

/** Of one account, so that whoever is told of its events is found quickly. */
const MOST_INSTALLATIONS = 100
/** Of one application in one account: whoever gets more has its least recently used ones revoked. */
const MOST_TOKENS = 100
/** More than anybody looks through on one page. */
const LISTED = { teams: 100, projects: 1000 } as const

export function createAuthorizations({ stores, transact, vault, clock }: OauthParts): Authorizations {
  async function ownedTeams(user: User): Promise<readonly Team[]> {
    const { items } = await stores.teams.listFor(user.id, { limit: LISTED.teams })
    const found = await Promise.all(items.map(({ id }) => stores.teams.membership(user.id, { id })))
    return found.flatMap((membership) => (membership?.role === 'OWNER' ? [membership.team] : []))
  }

  /** The team, when this person may let anything into it. */
  async function ownedTeam(teams: TeamStore, user: User, teamId: string): Promise<Team> {
    const membership = await teams.membership(user.id, { id: teamId })
    if (membership?.role !== 'OWNER')
      throw new AloftError('forbidden', 'Only an OWNER of a team can install applications in it.')
    return membership.team
  }

  async function client(clientId: string): Promise<Application> {
    const application = await stores.applications.byClientId(clientId)
    if (!application) throw unknownClient()
    return application
  }

  /** Makes the installation, or gives the one that is there what was agreed to. */
  async function install(
    { installations, projects, tokens, events, locks }: OauthStores,
    user: User,
    application: Application,
    { granted, ...consent }: Consent & { readonly granted: Scopes },
  ): Promise<Installation> {
    const now = clock.now()
    const ownerId = consent.teamId ?? user.id
    const selection = await readSelection(projects, ownerId, consent)
    await locks.take('installations', ownerId)
    const found = await installations.ofApplication(application.id, ownerId)
    const present = found && (await installations.lock(found.id))
    const given = { ...selection, scopes: granted, updatedAt: now }
    if (!present) {
      const { items } = await installations.list(ownerId, { limit: MOST_INSTALLATIONS })
      if (items.length >= MOST_INSTALLATIONS)
        throw new AloftError('conflict', `An account has at most ${MOST_INSTALLATIONS} applications.`)
      const installation: Installation = {
        ...given,
        id: newId.installation(),
        applicationId: application.id,
        ownerId,
        userId: user.id,
        teamId: consent.teamId,
        scopesQueue: [],
        createdAt: now,
        disabledAt: null,
        disabledReason: null,
      }
      if (await installations.add(installation)) return installation
      throw new AloftError('conflict', 'The application is already being installed. Try again.')
    }
    const change = {
      ...given,
      scopesQueue: queueAfterConsent(present.scopesQueue, { asked: application.scopes, granted }, now),
      // Nobody answered for it any more; now somebody does.
      ...(present.disabledAt === null ? {} : { userId: user.id, disabledAt: null, disabledReason: null }),
    }
    await installations.update(present.id, change)
    if (present.disabledAt !== null) await tokens.handOver(present.id, user.id)
    const after = { ...present, ...change }
    if (isSameSelection(present, after)) return after
    await events.emit(projectsChangedEvent(present, after, { userId: user.id, at: now }))
    return after
  }

  return {
    client,

    async choices(user, application, teamId) {
      if (teamId !== null) await ownedTeam(stores.teams, user, teamId)
      const ownerId = teamId ?? user.id
      const { items } = await stores.projects.list(ownerId, { limit: LISTED.projects }, {})
      const present = await stores.installations.ofApplication(application.id, ownerId)
      const listed = new Set(items.map(({ id }) => id))
      // What is not shown could not be agreed to again.
      const others = (present?.projects ?? []).filter((id) => !listed.has(id))
      const found = await Promise.all(others.map((id) => stores.projects.byIdOrName(ownerId, id)))
      return {
        teams: await ownedTeams(user),
        projects: [...items, ...found.filter((project) => project !== undefined)],
        present,
      }
    },

    consent(user, application, consent) {
      const code = newBearer()
      return transact(async (tx) => {
        const owner = consent.teamId === null ? user : await ownedTeam(tx.teams, user, consent.teamId)
        refuseBlocked(owner)
        await lockApplication(tx.locks, application.id)
        // Removed since the page was shown, or changed.
        const present = await tx.applications.byClientId(application.clientId)
        if (!present) throw unknownClient()
        const granted = narrowed(application.scopes, present.scopes)
        const installation = await install(tx, user, present, { ...consent, granted })
        // Where more is asked for since, the job of that change may have looked for installations before this one was there.
        if (scopeList(granted).join() !== scopeList(present.scopes).join())
          await tx.jobs.enqueue({ kind: SCOPES_JOB, payload: { applicationId: present.id } })
        await tx.oauthCodes.add({
          hash: hashBearer(code),
          installationId: installation.id,
          applicationId: application.id,
          userId: user.id,
          challenge: consent.challenge,
          createdAt: clock.now(),
          usedAt: null,
          tokenId: null,
        })
        return { code, installation }
      })
    },

    async exchange({ clientId, clientSecret, code, redirectUri, verifier }) {
      const application = await client(clientId)
      const secret = vault.open(application.sealedSecret, clientSecretPurpose(application.id))
      if (clientSecret === undefined || !isSameSecret(clientSecret, secret))
        throw new AloftError('invalid_client', 'The client secret is wrong or missing.')
      if (redirectUri !== application.redirectUrl)
        throw new AloftError(
          'redirect_uri_mismatch',
          '`redirect_uri` should be the redirect URL that the application is registered with.',
        )
      const granted = await transact(async (tx) => {
        // Of two at the same moment, the second finds it used.
        await tx.locks.take('oauth-code', hashBearer(code))
        const found = await tx.oauthCodes.byHash(hashBearer(code))
        if (!found || found.applicationId !== application.id) return undefined
        if (found.usedAt !== null) {
          // Somebody else has seen the code: what it was exchanged for cannot be trusted either.
          if (found.tokenId !== null && !(await tx.tokens.delete(found.userId, found.tokenId))) {
            // It may have been handed over to whoever answers for the installation by now.
            const heir = (await tx.installations.byId(found.installationId))?.userId
            if (heir !== undefined) await tx.tokens.delete(heir, found.tokenId)
          }
          return undefined
        }
        const now = clock.now()
        if (now - found.createdAt > CODE_LIFE || !proves(verifier, found.challenge)) return undefined
        const installation = await tx.installations.byId(found.installationId)
        if (!installation) return undefined
        const { token, bearer } = await issueToken(tx.tokens, {
          userId: found.userId,
          name: application.name,
          kind: 'oauth2',
          now,
          installationId: installation.id,
        })
        await tx.tokens.keep(installation.id, MOST_TOKENS)
        if (!(await tx.oauthCodes.use(found.hash, now, token.id))) throw unusable()
        return { bearer, installation, userId: found.userId }
      })
      if (!granted) throw unusable()
      return granted
    },
  }
}

const unknownClient = () => new AloftError('not_found', 'There is no application with this client id.')

const unusable = () =>
  new AloftError(
    'invalid_grant',
    'The code is unknown, was used, is older than 30 minutes, or was issued to another application.',
  )

/** Whoever began with a challenge has to end with what it was made from. */
const proves = (verifier: string | undefined, challenge: string | null): boolean =>
  challenge === null || verifier === undefined
    ? challenge === null && verifier === undefined
    : isSameSecret(hash('sha256', verifier, 'base64url'), challenge)

const isSameSelection = (a: Installation, b: Installation): boolean =>
  a.projectSelection === b.projectSelection && a.projects.join() === b.projects.join()
