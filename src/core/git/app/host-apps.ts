/** What signs in as an app. */
export interface AppKey {
  readonly url: string
  readonly hostId: string
  readonly pem: string
}

/** An app as its host made it. */
interface NewApp {
  readonly hostId: string
  readonly name: string
  readonly htmlUrl: string
  readonly pem: string
  readonly clientSecret: string | null
  readonly webhookSecret: string | null
}

/** An account at the host where the app is installed. */
export interface Installation {
  readonly id: string
  readonly login: string
  readonly accountId: string
  readonly isSuspended: boolean
}

/** Apps at a host, which is GitHub or an Enterprise Server of it. Rejects as `HostAccounts` does. */
export interface HostApps {
  /** What the host made of a manifest. The code is good once, and for an hour. */
  convert(url: string, code: string, signal: AbortSignal): Promise<NewApp>
  installations(app: AppKey, signal: AbortSignal): Promise<readonly Installation[]>
  /** Undefined where it was removed. */
  installation(app: AppKey, id: string, signal: AbortSignal): Promise<Installation | undefined>
  /** A token for what the app may do there. */
  token(
    app: AppKey,
    installationId: string,
    signal: AbortSignal,
  ): Promise<{ readonly token: string; readonly expiresAt: number }>
}
