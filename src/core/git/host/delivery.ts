import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from '../../same-secret.ts'
import type { PullEvent } from '../pull/pull.ts'
import type { PushReason } from '../push/push.ts'

/** A call of the host of a repository, as it came. */
export interface Delivery<Content = PullEvent> {
  /** By which the host tells its deliveries apart. */
  readonly id: string | undefined
  /** What shows that the host knows the secret: a SHA-256 HMAC of the body in hexadecimal, or the secret itself. */
  readonly proof: { readonly kind: 'hmac' | 'secret'; readonly value: string } | undefined
  readonly body: AsyncIterable<Uint8Array>
  /**
   * How its content is read, where it is about a pull request: that cannot be asked of the repository, so that it is
   * believed, and has to be signed. Undefined of what leads to nothing, such as a label.
   */
  readonly read?: ((body: Buffer) => Promise<Content | undefined>) | undefined
}

/** In the place of a ref, for deliveries of which nothing is believed. */
export const REFUSED_REF = 'webhook'

/** So that whoever repeats false deliveries does not push everything else out of sight. */
export const REFUSED_KEPT = 20

export const REFUSALS = {
  signature: {
    code: 'wrong_signature',
    message:
      'A webhook delivery was refused: it was not signed with the secret of this project. Set the secret at the host to the one shown when the repository was connected, or disconnect and connect it again for a new one.',
  },
  unsigned: {
    code: 'unsigned',
    message:
      'A webhook delivery about a pull request was refused: it was not signed. Enter the webhook secret of the project at the host; disconnect and connect the repository again for a new one.',
  },
  replayed: {
    code: 'replayed',
    message: 'A webhook delivery was refused: it was already received.',
  },
} as const satisfies Record<string, PushReason>

export const webhookPurpose = (projectId: string): string => `git-webhook ${projectId}`

type Checked<Content> =
  | { readonly isGenuine: false }
  | {
      readonly isGenuine: true
      /** The same for the same delivery alone; undefined where the host gave it no id. */
      readonly key: string | undefined
      readonly content: Content | undefined
    }

/**
 * Whether a delivery was made by somebody who knows the secret. Some hosts give the same id to everything that one
 * command led to, so what tells deliveries apart is the id together with the content.
 */
export async function checkDelivery<Content>(
  { id, proof, body, read }: Delivery<Content> & { readonly proof: NonNullable<Delivery['proof']> },
  secret: string,
): Promise<Checked<Content>> {
  const [signed, hashed] = [createHmac('sha256', secret), createHash('sha256')]
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    signed.update(chunk)
    hashed.update(chunk)
    if (read) chunks.push(chunk)
  }
  const isGenuine =
    proof.kind === 'hmac'
      ? isSameSecret(proof.value.toLowerCase(), signed.digest('hex'))
      : isSameSecret(proof.value, secret)
  if (!isGenuine) return { isGenuine }
  const key =
    id === undefined
      ? undefined
      : createHash('sha256')
          .update(`${id}\n${hashed.digest('hex')}`)
          .digest('hex')
  return { isGenuine, key, content: await read?.(Buffer.concat(chunks)) }
}
