import { invalidRequest } from '#contract/errors.ts'

/** A named value that variables refer to. The value itself lies sealed in the store and is no part of it. */
export interface Secret {
  readonly id: string
  readonly ownerId: string
  readonly name: string
  readonly creatorId: string
  readonly createdAt: number
}

const NAME = /^[A-Za-z0-9_.-]{1,100}$/
const ID = /^sec_[0-9A-Za-z]{24}$/

/** Whether a secret can have this name. Every id could also be a name. */
export const isSecretName = (text: string): boolean => NAME.test(text)
export const isSecretId = (text: string): boolean => ID.test(text)

export function readSecretName(name: string): string {
  if (!isSecretName(name)) throw invalidRequest('`name` should be 1 to 100 letters, digits, `_`, `-` and `.`')
  return name
}

/** Half a surrogate pair has no bytes: it would come back as another character. */
export function readSecretValue(value: string): string {
  if (!value.isWellFormed()) throw invalidRequest('`value` should be valid Unicode text')
  return value
}

/** What the value is sealed for: put into another secret's row, it does not open. */
export const sealedFor = (secretId: string): string => `secret ${secretId}`
