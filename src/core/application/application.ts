import type { Scope } from '#contract/scopes.ts'

/** What a program of somebody else may do with a part of an account. */
export const PERMISSIONS = ['read', 'read-write'] as const
export type Permission = (typeof PERMISSIONS)[number]
export type Scopes = Readonly<Partial<Record<Scope, Permission>>>

/** A program that accounts can install, registered by the account that makes it. */
export interface Application {
  readonly id: string
  readonly ownerId: string
  readonly creatorId: string
  readonly name: string
  /** Unique in this installation of Aloft. */
  readonly slug: string
  readonly redirectUrl: string
  readonly webhookUrl: string | null
  readonly scopes: Scopes
  /** What it says about the scopes it asks for. */
  readonly note: string | null
  readonly clientId: string
  /** Sealed rather than hashed, because what is sent to `webhookUrl` is signed with it. */
  readonly sealedSecret: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** What the client secret is sealed for: put into another application, it does not open. */
export const clientSecretPurpose = (applicationId: string): string => `client-secret ${applicationId}`
