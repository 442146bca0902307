/** One change in an account: who made it, when, from where. */
export interface AuditEntry {
  readonly id: string
  readonly ownerId: string
  readonly at: number
  readonly userId: string
  /** What the person used: a token by its kind and id, a session, or an integration. */
  readonly via: { readonly kind: string; readonly id: string; readonly name: string }
  /** The endpoint: `PATCH /v9/projects/:idOrName`. */
  readonly action: string
  /** What the placeholders of the endpoint stood for. */
  readonly target: Readonly<Record<string, string>>
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
}
