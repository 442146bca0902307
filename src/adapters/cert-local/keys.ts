import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

interface KeyPair {
  readonly privateKey: KeyObject
  /** As SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly pem: string
}

const generate = promisify(generateKeyPair)

export async function createKeyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
  return {
    privateKey,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}
