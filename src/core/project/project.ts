/** A line of deployments under one name. */
export interface Project {
  readonly id: string
  readonly ownerId: string
  readonly name: string
  /** The host that always shows the newest deployment; allocated with the first one. */
  readonly defaultHost: string | null
  readonly directoryListing: boolean
  readonly createdAt: number
  readonly updatedAt: number
}
