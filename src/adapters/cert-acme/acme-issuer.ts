import type { Authorization, Client } from 'acme-client'
import { beforeAbort } from '#core/before-abort.ts'
import {
  type BeforeOrder,
  type CertificateIssuer,
  type IssuedCertificate,
  IssueFailure,
} from '#core/ports/certificate-issuer.ts'
import { type AccountParts, createAcmeAccount } from './acme-account.ts'
import { acmeLibrary, within } from './acme-library.ts'
import { type ChallengeKind, kindsFor, kindsLeft } from './challenge-kinds.ts'
import { asFailure, Problem, readProblem } from './problem.ts'
import { type ProofParts, prove, until } from './proof.ts'

export interface AcmeIssuerParts extends AccountParts, ProofParts {
  /** Whether the authority, asking the world's DNS about this name, comes to us. */
  servesZone(name: string): Promise<boolean>
  /** How long a certificate may take in all. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 90_000
/** A refused authorization costs an order, and authorities count refusals. */
const MAX_ORDERS = 3

/** Certificates of an authority that speaks ACME, as the public ones do. */
export function createAcmeIssuer(parts: AcmeIssuerParts): CertificateIssuer {
  const account = createAcmeAccount(parts)

  return {
    instant: false,
    checksNames: true,
    async issue(names, signal, beforeOrder) {
      const timeout = AbortSignal.timeout(parts.timeoutMs ?? TIMEOUT_MS)
      const ended = AbortSignal.any([signal, timeout])
      try {
        const issued = await within(ended, () => issue(names, ended, beforeOrder))
        parts.log.info({ names }, 'the certificate authority issued a certificate')
        return issued
      } catch (error) {
        signal.throwIfAborted()
        if (timeout.aborted) throw new IssueFailure('The certificate authority took too long')
        throw asFailure(error)
      }
    },
  }

  async function issue(
    names: readonly string[],
    signal: AbortSignal,
    beforeOrder?: BeforeOrder,
  ): Promise<IssuedCertificate> {
    try {
      return await obtain(await opened(signal), names, signal, beforeOrder)
    } catch (error) {
      if (!(error instanceof Problem && error.type === 'accountDoesNotExist')) throw error
      account.forget()
      return obtain(await opened(signal), names, signal, beforeOrder)
    }
  }

  /** Signing in is shared, so that it does not end with any of those who wait for it. */
  function opened(signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted()
    return beforeAbort(account.open(), signal)
  }

  async function obtain(
    client: Client,
    names: readonly string[],
    signal: AbortSignal,
    beforeOrder?: BeforeOrder,
  ): Promise<IssuedCertificate> {
    const ways = new Map<string, readonly ChallengeKind[]>()
    for (const name of names) ways.set(name, await kindsFor(name, names, parts.servesZone))
    const refusals: Refusal[] = []
    for (let orders = 1; ; orders++) {
      await beforeOrder?.()
      const order = await client.createOrder({
        identifiers: names.map((value) => ({ type: 'dns', value })),
      })
      const authorizations = await client.getAuthorizations(order)
      const refused = await proveAll(client, authorizations, ways, signal)
      if (refused.length === 0) return finish(client, order, names, signal)
      refusals.push(...refused)
      for (const { name, way, problem } of refused)
        ways.set(name, kindsLeft(ways.get(name) ?? [], way, problem.type))
      if (orders === MAX_ORDERS || refused.some(({ name }) => ways.get(name)?.length === 0))
        throw asOne(refusals)
    }
  }

  /** All at once. Whatever came of each, none is under way any more afterwards. */
  async function proveAll(
    client: Client,
    authorizations: readonly Authorization[],
    ways: ReadonlyMap<string, readonly ChallengeKind[]>,
    signal: AbortSignal,
  ): Promise<readonly Refusal[]> {
    const results = await Promise.allSettled(
      authorizations.map(async (authorization): Promise<Refusal | undefined> => {
        if (authorization.status === 'valid') return undefined
        const name = nameOf(authorization)
        const offer = offerOf(authorization, ways.get(name) ?? [])
        try {
          await prove(parts, client, authorization, offer, signal)
          return undefined
        } catch (problem) {
          if (problem instanceof Problem) return { name, way: offer.type as ChallengeKind, problem }
          throw problem
        }
      }),
    )
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return results.flatMap((result) => (result.status === 'fulfilled' && result.value) || [])
  }

  async function finish(
    client: Client,
    order: Awaited<ReturnType<Client['createOrder']>>,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<IssuedCertificate> {
    const reached = (...wanted: readonly string[]) =>
      until(async () => {
        const now = await client.getOrder(order)
        if (now.status === 'invalid')
          throw readProblem(now.error, 'The certificate authority refused the order')
        return wanted.includes(now.status) ? now : undefined
      }, signal)
    const { crypto } = acmeLibrary()
    const key = await crypto.createPrivateEcdsaKey('P-256')
    const [, csr] = await crypto.createCsr({ altNames: [...names] }, key)
    const ready = await reached('ready', 'valid')
    await client.finalizeOrder(ready, csr)
    return { cert: await client.getCertificate(await reached('valid')), key: key.toString() }
  }
}

interface Refusal {
  readonly name: string
  readonly way: ChallengeKind
  readonly problem: Problem
}

const nameOf = ({ identifier, wildcard }: Authorization): string =>
  `${wildcard ? '*.' : ''}${identifier.value.toLowerCase()}`

/** The best of the ways that the authority offers. */
function offerOf(authorization: Authorization, ways: readonly ChallengeKind[]) {
  for (const way of ways) {
    const offer = authorization.challenges.find(({ type }) => type === way)
    if (offer) return offer
  }
  const name = nameOf(authorization)
  throw new IssueFailure(
    name.startsWith('*.')
      ? `A certificate for ${name} needs the nameservers of its domain to be those of this installation`
      : `The certificate authority offers no way to show that ${name} is ours`,
  )
}

/** Every way that was tried, in the authority's words. */
function asOne(refusals: readonly Refusal[]): IssueFailure {
  const words = refusals.map(({ name, way, problem }) => `${name} (${way}): ${problem.message}`)
  const waits = refusals.flatMap(({ problem }) => problem.retryAfter ?? [])
  return new IssueFailure(words.join('; '), waits.length > 0 ? Math.max(...waits) : undefined, {
    cause: refusals.at(-1)?.problem,
  })
}
