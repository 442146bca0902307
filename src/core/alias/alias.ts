/** A name that points to a deployment and can be moved to another one. */
export interface Alias {
  readonly id: string
  readonly host: string
  readonly ownerId: string
  readonly projectId: string
  readonly deploymentId: string
  /** Whether visitors get the production face of the project here. */
  readonly production: boolean
  readonly createdAt: number
}

/** An alias with where it leads, as lists show it. */
export interface AliasRow extends Alias {
  readonly deploymentHost: string | null
}
