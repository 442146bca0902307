export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The link that the mail is about, for whoever cannot be sent one. */
  readonly link?: string
}

/** Hands a mail over. Resolves once the next hop has it; may be repeated, so a mail can arrive twice. */
export interface Mailer {
  send(mail: Mail, id: string): Promise<void>
  close(): void
}
