interface Login {
  readonly user: string
  readonly pass: string
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Takes the password out of a text, in every form it has on the wire or in a URL. */
export function createRedact(login: Login | undefined): (text: string) => string {
  if (login === undefined || login.pass === '') return (text) => text
  const { user, pass } = login
  const forms = [pass, encodeURIComponent(pass), base64(pass), base64(`\0${user}\0${pass}`)]
  // The longest first, so that no part of a form is left over.
  forms.sort((a, b) => b.length - a.length)
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text)
}
