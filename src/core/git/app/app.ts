/** A GitHub App that an account made for itself. Its installations are connected Git hosts. */
export interface GitApp {
  readonly id: string
  readonly ownerId: string
  /** The name of the account when it began, by which the host leads back to its pages. */
  readonly slug: string
  /** Where the host is, without a path: `https://github.com`. */
  readonly url: string
  /** Whose app it is to be at the host; null for whoever makes it there. */
  readonly organization: string | null
  readonly createdBy: string
  readonly createdAt: number
  /** Of the text that the host hands back with its answer; null once that came. */
  readonly stateHash: string | null
  /** Null until the host has made it. */
  readonly made: MadeApp | null
  /** When a delivery with the right signature came last, and when one was refused. */
  readonly heardAt: number | null
  readonly refusedAt: number | null
}

export interface MadeApp {
  /** By which the host tells apps apart. */
  readonly hostId: string
  readonly name: string
  /** Its page at the host. */
  readonly htmlUrl: string
  /** An `AppSecrets` as JSON, sealed. */
  readonly sealedSecrets: string
  /** Whether the host calls here: not where this installation is at an address of which the host makes none. */
  readonly isCalling: boolean
}

export interface AppSecrets {
  readonly pem: string
  readonly clientSecret: string | null
  readonly webhookSecret: string | null
}

export interface AppStore {
  add(app: GitApp): Promise<void>
  byId(id: string): Promise<GitApp | undefined>
  /** Those of an account, oldest first; their number is limited when they are added. */
  list(ownerId: string): Promise<readonly GitApp[]>
  /** Uses up the state, which is good once: false where it is another, or was used. */
  claim(id: string, stateHash: string): Promise<boolean>
  update(id: string, change: Partial<Pick<GitApp, 'made' | 'heardAt' | 'refusedAt'>>): Promise<boolean>
  remove(ownerId: string, id: string): Promise<boolean>
}

export const MOST_APPS = 20

export const appPurpose = (id: string): string => `git-app ${id}`

/** Where the app is installed, which shows it repositories. */
export const installUrlOf = ({ htmlUrl }: MadeApp): string => `${htmlUrl}/installations/new`
