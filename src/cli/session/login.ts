import { register } from '#contract/api/login.ts'
import { Redacted } from '#contract/redacted.ts'
import { defineCommand, optional } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { pollLogin } from './poll-login.ts'

/** The name under which the token is listed and the mail asks: short, and of printable characters. */
const tokenName = (machine: string): string => `aloft on ${plainText(machine)}`.slice(0, 100)

export const command = defineCommand({
  doing: 'log in',
  about:
    'Mails you a link. Compare the security code, accept, and this command stores the token it is given.\nAn address that has no account yet gets one.',
  arguments: { email: optional('your e-mail address; asked for when left out') },
  examples: [
    ['login', 'ask for the address'],
    ['login you@example.com', 'log in'],
    ['login you@example.com --base-url https://aloft.example.com', 'log in to another installation'],
  ],
  hints: { invalid_email: 'Check the spelling of the address.' },
  async run(cli, given) {
    const { out, baseUrl } = cli
    const { bold, green, dim } = out.talkColors
    const typed = given.email ?? (await cli.prompt.ask('Your e-mail address:', 'aloft login you@example.com'))
    const api = cli.apiWith(undefined)
    const { token: poll, securityCode } = await api.call(register, {
      body: { email: typed, tokenName: tokenName(cli.machine) },
    })
    out.say(`A mail is on its way to ${bold(plainText(typed))}.`)
    out.say(`Open its link and accept, if this is the code it shows: ${bold(green(plainText(securityCode)))}`)
    out.say(dim('Waiting for you to accept … (Ctrl-C stops waiting)'))
    const { token, email } = await pollLogin({
      api,
      email: typed,
      token: poll,
      now: cli.now,
      wait: cli.wait,
    })
    cli.auth.save(baseUrl, { token: new Redacted(token), email })
    const named = cli.namedToken()
    out.show({ baseUrl, email }, () => `Logged in to ${baseUrl} as ${plainText(email)}.`)
    if (named) out.say(`note: ${named.from} is set and wins over this login.`)
  },
})
