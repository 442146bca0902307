import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization, Client } from 'acme-client'
import { MINUTE } from '#contract/time.ts'
import type { Challenge, ChallengeStore } from '#core/certificate/challenge.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import type { Vault } from '#core/ports/vault.ts'
import { acmeLibrary } from './acme-library.ts'
import type { ChallengeKind } from './challenge-kinds.ts'
import { readProblem } from './problem.ts'
import { sealTlsChallenge } from './tls-challenge.ts'

export interface ProofParts {
  readonly challenges: ChallengeStore
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  /** Tells every process that this challenge has come or gone. */
  announce(challenge: Challenge): void
  /** Whether whoever asks us from outside gets to see this challenge. */
  shows(challenge: Challenge, signal: AbortSignal): Promise<boolean>
}

type Offer = Authorization['challenges'][number]

/** Nobody asks for a challenge that is this old: whoever made it has died. */
const LIFETIME_MS = 10 * MINUTE
/** How long we look for a challenge ourselves, before the authority is asked to. */
const SHOW_MS = 5_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

/** Repeats a question, less and less often, until it is answered with something else than undefined. */
export async function until<T>(question: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const answer = await question()
    if (answer !== undefined) return answer
    await sleep(pause, undefined, { signal })
  }
}

/** Shows an authority in the given way that a name is ours. Rejects with a `Problem` when it does not see it. */
export async function prove(
  parts: ProofParts,
  client: Client,
  authorization: Authorization,
  offer: Offer,
  signal: AbortSignal,
): Promise<void> {
  const challenge = await answerTo(parts, client, authorization, offer)
  try {
    await parts.challenges.put(challenge)
    parts.announce(challenge)
    await untilShown(parts, challenge, signal)
    await client.completeChallenge(offer)
    await untilDecided(client, authorization, signal)
  } finally {
    await parts.challenges
      .remove(challenge)
      .catch((err) => parts.log.warn({ err, host: challenge.host }, 'a challenge is still there'))
    parts.announce(challenge)
  }
}

async function answerTo(
  { vault, clock }: ProofParts,
  client: Client,
  authorization: Authorization,
  offer: Offer,
): Promise<Challenge> {
  const kind = offer.type as ChallengeKind
  const name = { host: authorization.identifier.value.toLowerCase(), token: offer.token }
  const text = await client.getChallengeKeyAuthorization(offer)
  const value =
    kind === 'tls-alpn-01' ? sealTlsChallenge(vault, name, await certificateOf(authorization, text)) : text
  return { kind, ...name, value, expiresAt: clock.now() + LIFETIME_MS }
}

async function certificateOf(authorization: Authorization, text: string) {
  const { crypto } = acmeLibrary()
  const key = await crypto.createPrivateEcdsaKey('P-256')
  const [, cert] = await crypto.createAlpnCertificate(authorization, text, key)
  return { cert: cert.toString(), key: key.toString() }
}

async function untilShown({ shows, log }: ProofParts, challenge: Challenge, signal: AbortSignal) {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(SHOW_MS)])
  try {
    await until(async () => (await shows(challenge, timeout)) || undefined, timeout)
  } catch (err) {
    signal.throwIfAborted()
    // The authority may stand where it sees more than we do.
    const { kind, host } = challenge
    log.warn({ err, kind, host }, 'we do not see a challenge of ours; the authority is asked all the same')
  }
}

/** Authorizations are read through an order, here one that has no other. */
async function untilDecided(client: Client, authorization: Authorization, signal: AbortSignal) {
  const order = { authorizations: [authorization.url] } as Parameters<Client['getAuthorizations']>[0]
  await until(async () => {
    const [now] = await client.getAuthorizations(order)
    if (now === undefined || now.status === 'pending') return undefined
    if (now.status === 'valid') return now
    const refused = now.challenges.find(({ error }) => error !== undefined)
    throw readProblem(refused?.error, `The authorization of ${now.identifier.value} is ${now.status}`)
  }, signal)
}
