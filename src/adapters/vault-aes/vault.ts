import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import type { Vault } from '#core/ports/vault.ts'
import { remembering } from '#core/remembering.ts'
import { KEY_BYTES } from './key-text.ts'
import { VaultError } from './vault-error.ts'

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
// A random 96-bit nonce is safe for 2^32 texts under one key; each purpose has a key of its own.
const NONCE_BYTES = 12
const TAG_BYTES = 16
// Purposes are few. The bound keeps a caller that puts ids into them from filling the memory.
const KEPT_KEYS = 256

/** AES-256-GCM under a key that is derived for each purpose. */
export function createVault(masterKey: Buffer): Vault {
  if (masterKey.length !== KEY_BYTES) throw new RangeError(`A master key has ${KEY_BYTES} bytes`)
  const master = createSecretKey(masterKey)

  const keyFor = remembering(
    (purpose) => Buffer.from(hkdfSync('sha256', master, '', `aloft vault ${VERSION} ${purpose}`, KEY_BYTES)),
    { most: KEPT_KEYS },
  )

  return {
    seal(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keyFor(purpose), nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(boundTo(purpose))
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${body.toString('base64url')}`
    },

    open(sealed, purpose) {
      const body = readBody(sealed)
      const nonce = body.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, keyFor(purpose), nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(boundTo(purpose))
      decipher.setAuthTag(body.subarray(-TAG_BYTES))
      const plain = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES))
      try {
        return Buffer.concat([plain, decipher.final()]).toString('utf8')
      } catch {
        throw new VaultError('refused')
      }
    },
  }
}

const boundTo = (purpose: string): Buffer => Buffer.from(`${VERSION}\0${purpose}`)

function readBody(sealed: string): Buffer {
  const dot = sealed.indexOf('.')
  const version = sealed.slice(0, dot)
  if (dot < 0 || !/^v[1-9]\d*$/.test(version)) throw new VaultError('malformed')
  if (version !== VERSION) throw new VaultError('unknown_version')
  const text = sealed.slice(dot + 1)
  const body = Buffer.from(text, 'base64url')
  // Decoding skips what is not base64url and bits that no byte needs: a changed text would open.
  if (body.length < NONCE_BYTES + TAG_BYTES || body.toString('base64url') !== text)
    throw new VaultError('malformed')
  return body
}
