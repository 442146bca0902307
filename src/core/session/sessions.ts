import { hash } from 'node:crypto'
import { noSuch } from '#contract/errors.ts'
import { newBearer, newId } from '#contract/ids.ts'
import { DAY, HOUR } from '#contract/time.ts'
import type { Actor, Context, Visit } from '../access/context.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transact } from '../ports/transact.ts'
import { hashBearer } from '../token/token.ts'
import type { User } from '../user/user.ts'
import type { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** A session that nobody used for this long is over. */
const SESSION_LIFE = 30 * DAY

/** The end moves on in steps this coarse, so that reading does not become writing. */
const SESSION_STEP = HOUR

/** More than anybody looks through. */
const LISTED = 100

interface SignedIn {
  readonly session: Session
  readonly user: User
}

/** Makes a session and the value of its cookie, inside the caller's transaction. */
export async function beginSession(
  sessions: SessionStore,
  {
    userId,
    visit,
    now,
  }: {
    readonly userId: string
    readonly visit: Omit<Visit, 'requestId' | 'at'>
    readonly now: number
  },
): Promise<{ readonly session: Session; readonly bearer: string }> {
  const bearer = newBearer()
  const session: Session = {
    id: newId.session(),
    userId,
    createdAt: now,
    expiresAt: now + SESSION_LIFE,
    userAgent: visit.userAgent.slice(0, 256),
    ip: visit.ip,
  }
  await sessions.insert(session, hashBearer(bearer))
  return { session, bearer }
}

/**
 * What forms and scripts of our own pages send along with a cookie. Other sites can make a browser send the
 * cookie, but can neither read it nor what is derived from it.
 */
export const csrfOf = (bearer: string): string => hash('sha256', `csrf ${bearer}`)

export const lastUseOf = ({ expiresAt }: Session): number => expiresAt - SESSION_LIFE

/** A session as use cases see callers: with something in the place of a token. */
export const actorOf = ({ session, user }: SignedIn): Actor => ({
  user,
  token: {
    id: session.id,
    userId: user.id,
    name: 'Browser',
    kind: 'session',
    createdAt: session.createdAt,
    activeAt: lastUseOf(session),
    expiresAt: session.expiresAt,
    installationId: null,
  },
})

export interface Sessions {
  /** Signs somebody in who has proven to be this user; answers the value of the cookie. */
  begin(visit: Visit, userId: string): Promise<string>
  /** Who is signed in with this cookie. Being used keeps a session alive. */
  find(bearer: string): Promise<SignedIn | undefined>
  end(bearer: string): Promise<void>
  list(ctx: Context): Promise<readonly Session[]>
  revoke(ctx: Context, id: string): Promise<string>
  /** Ends every session but the one of the request; answers how many there were. */
  revokeOthers(ctx: Context): Promise<number>
}

export function createSessions({
  store,
  transact,
  clock,
}: {
  readonly store: SessionStore
  readonly transact: Transact<{ readonly sessions: SessionStore }>
  readonly clock: Clock
}): Sessions {
  const idOf = (ctx: Context, id: string) => (id === 'current' ? ctx.actor.token.id : id)

  return {
    async begin(visit, userId) {
      const { bearer } = await transact(({ sessions }) =>
        beginSession(sessions, { userId, visit, now: clock.now() }),
      )
      return bearer
    },

    async find(bearer) {
      const found = await store.byHash(hashBearer(bearer))
      const now = clock.now()
      if (!found || found.session.expiresAt <= now) return undefined
      if (now - lastUseOf(found.session) >= SESSION_STEP)
        await store.extend(found.session.id, now + SESSION_LIFE)
      return found
    },

    async end(bearer) {
      const found = await store.byHash(hashBearer(bearer))
      if (found) await store.delete(found.user.id, found.session.id)
    },

    list: (ctx) => store.list(ctx.actor.user.id, clock.now(), LISTED),

    revoke: (ctx, id) =>
      transact(async ({ sessions }) => {
        const sessionId = idOf(ctx, id)
        if (!(await sessions.delete(ctx.actor.user.id, sessionId))) throw noSuch('session', id)
        return sessionId
      }),

    revokeOthers: (ctx) =>
      transact(({ sessions }) => sessions.deleteOthers(ctx.actor.user.id, ctx.actor.token.id)),
  }
}
