import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** The settings of an installation, for one machine that is to become part of it. */
export type JoinSettings = Readonly<Record<string, string>>

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export const newJoinToken = (): string => randomBytes(32).toString('base64url')

/** By which the installation knows an invitation; the token itself is never sent. */
export const joinId = (token: string): string =>
  createHash('sha256').update(`aloft join ${token}`).digest('hex')

const keyOf = (token: string): Buffer => Buffer.from(hkdfSync('sha256', token, '', 'aloft join settings', 32))

/** Nobody opens it without the token, not even whoever reads the database or the network. */
export function sealJoin(settings: JoinSettings, token: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyOf(token), nonce, { authTagLength: TAG_BYTES })
  const text = Buffer.concat([cipher.update(JSON.stringify(settings), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
}

/** Throws where it is not what was sealed with this token. */
export function openJoin(sealed: string, token: string): JoinSettings {
  const bytes = Buffer.from(sealed, 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, keyOf(token), nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString('utf8')) as JoinSettings
}
