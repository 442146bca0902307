/** `code` is for machines: nodemailer's (EAUTH, ECONNECTION, …), EADDRESS or EID. The message holds no secret. */
export class MailError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'MailError'
    this.code = code
  }
}
