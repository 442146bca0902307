import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto'
import { toPem } from './pem.ts'

export const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export interface KeyPair {
  readonly pair: webcrypto.CryptoKeyPair
  readonly pem: string
}

export async function createKeyPair(): Promise<KeyPair> {
  const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  return { pair, pem: toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)) }
}

export function importSigningKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])
}

/** 128 random bits in hexadecimal; read as an unsigned number, so always positive. */
export const randomSerial = () => randomBytes(16).toString('hex')
